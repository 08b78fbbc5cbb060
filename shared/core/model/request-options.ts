/**
 * The options that the sender of a request sets by headers: one table of their names, values and meanings. The ingress takes them
 * from requests, and the engine from the calls and sends of handlers. No handler receives them.
 */
import { parseDurationMs } from "./duration.ts";
import type { Header } from "./header.ts";
import { DAY_MS } from "./time-units.ts";

/** The options of one request; an absent one has its default. */
export interface RequestOptions {
  /** 9 goes first, 0 last. */
  readonly priority?: number;
  /** Within this time the first attempt begins. */
  readonly startWithinMs?: number;
  /** Within this time the invocation ends; `inherit`: within what its caller has left. */
  readonly endWithin?: number | "inherit";
}

interface OptionRow<Value> {
  /** The header, in lower case. */
  readonly header: string;
  /** The allowed values, as the end of "the value is no …". */
  readonly values: string;
  readonly example: string;
  /** The value that an absent header stands for, in words. */
  readonly byDefault: string;
  /** In whole sentences. */
  readonly meaning: string;
  /** @returns undefined for a value that is not allowed */
  readonly read: (text: string) => Value | undefined;
}

type OptionRows = { readonly [Name in keyof RequestOptions]-?: OptionRow<NonNullable<RequestOptions[Name]>> };

/** The priority of a request that names none. */
export const PRIORITY_DEFAULT = 5;

const WITHIN = "duration from 1ms to 3650d";

export const REQUEST_OPTIONS: OptionRows = {
  priority: {
    header: "x-stepwell-priority",
    values: "whole number from 0 to 9",
    example: "7",
    byDefault: String(PRIORITY_DEFAULT),
    meaning: "Of the invocations that wait for a place of a limit, those with a higher number go first.",
    read: (text) => (/^[0-9]$/.test(text) ? Number(text) : undefined),
  },
  startWithinMs: {
    header: "x-stepwell-start-within",
    values: WITHIN,
    example: "30s",
    byDefault: "the setting start_within of the handler",
    meaning:
      "If no attempt has begun within this time, the invocation ends with RT0910 (408) before its handler runs. The time counts from the acceptance, or from the end of a delay.",
    read: withinMs,
  },
  endWithin: {
    header: "x-stepwell-end-within",
    values: `${WITHIN} (or 'inherit', in a call or send of a handler)`,
    example: "10m",
    byDefault: "the setting end_within of the handler",
    meaning:
      "If the invocation has not ended within this time, it is cancelled, and after the time of deadline-grace it is killed with RT0911 (504). A handler may write `inherit`: its call or send then has as much time as the calling invocation has left.",
    read: (text) => (text === "inherit" ? text : withinMs(text)),
  },
};

/** Ten years; a longer time is a mistake. */
const WITHIN_MAX_MS = 3_650 * DAY_MS;

function withinMs(text: string): number | undefined {
  const ms = parseDurationMs(text);
  return ms !== undefined && ms > 0 && ms <= WITHIN_MAX_MS ? ms : undefined;
}

const ROWS = Object.entries(REQUEST_OPTIONS) as readonly (readonly [keyof RequestOptions, OptionRow<unknown>])[];
const HEADERS: ReadonlySet<string> = new Set(ROWS.map(([, { header }]) => header));
/** The beginning of all these headers. Most headers differ here, so this test saves the lookup. */
const BEGINNING = "x-stepwell-";

/** @param name a header name, in any case */
export function isOptionHeader(name: string): boolean {
  const { length } = BEGINNING;
  return name.length > length && name.slice(0, length).toLowerCase() === BEGINNING && HEADERS.has(name.toLowerCase());
}

const NONE: RequestOptions = {};

/**
 * @param headerOf the value of a header; its name is given in lower case
 * @returns a text for values that are not allowed: what is, what should be, and an example
 */
export function readOptions(headerOf: (name: string) => string | undefined): RequestOptions | string {
  let options: Record<string, unknown> | undefined;
  for (const [name, row] of ROWS) {
    const text = headerOf(row.header);
    if (text === undefined) continue;
    const value = row.read(text.trim());
    if (value === undefined)
      return `bad header '${row.header}': '${shown(text)}' is no ${row.values}, such as '${row.example}'`;
    options ??= {};
    options[name] = value;
  }
  return options ?? NONE;
}

/** The options among the headers of a command. Of several headers with one name, the first counts. */
export function optionsIn(headers: readonly Header[]): RequestOptions | string {
  const own = headers.filter(({ key }) => isOptionHeader(key));
  if (own.length === 0) return NONE;
  return readOptions((name) => own.find(({ key }) => key.toLowerCase() === name)?.value);
}

/** The headers that the handler receives. */
export function withoutOptions(headers: readonly Header[]): readonly Header[] {
  return headers.some(({ key }) => isOptionHeader(key)) ? headers.filter(({ key }) => !isOptionHeader(key)) : headers;
}

const SHOWN_MAX_CHARACTERS = 60;

function shown(text: string): string {
  return text.length <= SHOWN_MAX_CHARACTERS ? text : `${text.slice(0, SHOWN_MAX_CHARACTERS)}…`;
}
