/** A wake as text: one format for all queues and timers that transport text. */
import { IdError, parseInvocationId } from "../../core/model/ids.ts";
import type { Wake } from "./queue.ts";
import { QUEUE_DELAY_MAX_MS } from "./queue.ts";

export type ReadBody = { readonly wake: Wake } | { readonly wrong: string };

/** Longer names are left out to bound the message; the worker reads the service from the table instead. */
const SERVICE_MAX_CHARACTERS = 1_024;
const NOT_ASCII = /[\u007f-\uffff]/g;

/** ASCII only, because queues accept only the characters of XML 1.0. */
export function bodyOfWake({ invocationId, sentAtMs, delayMs, wakeAtMs, service }: Wake): string {
  const says = service !== undefined && service.length <= SERVICE_MAX_CHARACTERS;
  const body = JSON.stringify({
    id: invocationId,
    sentAtMs,
    delayMs,
    ...(wakeAtMs !== undefined && { wakeAtMs }),
    ...(says && { service }),
  });
  return says ? body.replace(NOT_ASCII, escaped) : body;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A queue may contain anything that its writers put there, so a body that is no wake is a result, not an exception. */
export function wakeOfBody(body: string): ReadBody {
  let read: unknown;
  try {
    read = JSON.parse(body);
  } catch {
    return { wrong: "it is no JSON" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return { wrong: "it is no JSON object" };
  const { id, sentAtMs, delayMs, wakeAtMs, service } = read as Readonly<Record<string, unknown>>;
  if (typeof id !== "string") return { wrong: "it has no id" };
  if (!isMoment(sentAtMs)) return { wrong: "sentAtMs is no moment" };
  if (!isMoment(delayMs) || delayMs > QUEUE_DELAY_MAX_MS) return { wrong: "delayMs is no delay of a queue" };
  if (wakeAtMs !== undefined && !isMoment(wakeAtMs)) return { wrong: "wakeAtMs is no moment" };
  try {
    const invocationId = parseInvocationId(id);
    return {
      wake: {
        invocationId,
        sentAtMs,
        delayMs,
        ...(wakeAtMs !== undefined && { wakeAtMs }),
        ...(typeof service === "string" && { service }),
      },
    };
  } catch (error) {
    if (error instanceof IdError) return { wrong: `its id is none: ${error.message}` };
    throw error;
  }
}

function isMoment(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
