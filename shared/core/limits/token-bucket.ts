/**
 * The arithmetic of a rate: a bucket that fills by one token per interval, kept as the moment at which it would be full again
 * (the generic cell rate algorithm, ITU-T I.371). Times are whole microseconds, so that stores compare them exactly.
 */
import type { Rate } from "./rule.ts";

export interface Tokens {
  readonly count: number;
  /** The moment at which the bucket is full again after these tokens, in microseconds. */
  readonly fullAtUs: number;
}

export function intervalUs({ count, perMs }: Rate): number {
  return Math.max(1, Math.ceil((perMs * 1_000) / count));
}

/**
 * Takes up to `wanted` tokens that are in the bucket now, or come into it within `aheadMs`.
 * @param fullAtUs as the store has it; 0 for a bucket that no invocation has used
 */
export function takeTokens(rate: Rate, fullAtUs: number, nowMs: number, wanted: number, aheadMs = 0): Tokens {
  const eachUs = intervalUs(rate);
  const nowUs = Math.floor(nowMs * 1_000);
  const from = fromUs(rate, fullAtUs, nowUs);
  const untilUs = nowUs + Math.floor(aheadMs * 1_000);
  const count = Math.max(0, Math.min(wanted, Math.floor((untilUs + rate.burst * eachUs - from) / eachUs)));
  return { count, fullAtUs: from + count * eachUs };
}

/** @returns when the bucket has its next token, in milliseconds; at most now if it has one */
export function nextTokenAtMs(rate: Rate, fullAtUs: number, nowMs: number): number {
  const nowUs = Math.floor(nowMs * 1_000);
  const eachUs = intervalUs(rate);
  return Math.ceil((fromUs(rate, fullAtUs, nowUs) + eachUs - rate.burst * eachUs) / 1_000);
}

/** Tokens are given this far ahead at most. */
const AHEAD_MAX_US = 2_000_000;

/**
 * A bucket cannot lack more than all of its tokens and those that were given ahead: a later moment comes from a slower rate, or from
 * a clock that was ahead.
 */
function fromUs(rate: Rate, fullAtUs: number, nowUs: number): number {
  return Math.min(Math.max(fullAtUs, nowUs), nowUs + rate.burst * intervalUs(rate) + AHEAD_MAX_US);
}
