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
  /** One invocation at a time is the current one of a target and key. */
  readonly singleton?: string;
  /** The action of a request whose singleton key has an open current invocation. */
  readonly onDuplicate?: OnDuplicate;
  /** The invocation starts after this time, unless a later request with its singleton key replaces it before. */
  readonly debounceMs?: number;
}

export type OnDuplicate = "attach" | "refuse" | "replace";
const ON_DUPLICATE: readonly string[] = ["attach", "refuse", "replace"] satisfies readonly OnDuplicate[];

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
  /** True if the run of a workflow cannot have it. */
  readonly notForRuns?: true;
  /** @returns undefined for a value that is not allowed */
  readonly read: (text: string) => Value | undefined;
}

type OptionRows = { readonly [Name in keyof RequestOptions]-?: OptionRow<NonNullable<RequestOptions[Name]>> };

/** The priority of a request that names none. */
export const PRIORITY_DEFAULT = 5;

const SINGLETON_MAX_CHARACTERS = 256;
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
    byDefault: "the setting `start_within` of the handler",
    meaning:
      "If no attempt has begun within this time, the invocation ends with RT0910 (408) before its handler runs. The time counts from the acceptance, or from the end of a delay.",
    read: withinMs,
  },
  endWithin: {
    header: "x-stepwell-end-within",
    values: `${WITHIN} (or 'inherit', in a call or send of a handler)`,
    example: "10m",
    byDefault: "the setting `end_within` of the handler",
    meaning:
      "If the invocation has not ended within this time, it is cancelled, and after the time of `deadline-grace` it is killed with RT0911 (504). A handler may write `inherit`: its call or send then has as much time as the calling invocation has left.",
    read: (text) => (text === "inherit" ? text : withinMs(text)),
  },
  singleton: {
    header: "x-stepwell-singleton",
    notForRuns: true,
    values: `text of 1 to ${SINGLETON_MAX_CHARACTERS} characters`,
    example: "invoice-7",
    byDefault: "no key",
    meaning:
      "Of the invocations of one target with this key, one at a time is the current one. Only requests over HTTP can have it, without an idempotency key, and not for the run of a workflow.",
    read: (text) => (text.length > 0 && text.length <= SINGLETON_MAX_CHARACTERS ? text : undefined),
  },
  onDuplicate: {
    header: "x-stepwell-on-duplicate",
    notForRuns: true,
    values: "word of 'attach', 'refuse' and 'replace'",
    example: "replace",
    byDefault: "attach",
    meaning:
      "What a request does if an open invocation is the current one of its singleton key. `attach`: it gets the id and the result of that invocation. `refuse`: it is refused with RT0912 (409). `replace`: that invocation ends with RT0913 (409), at once or by a cancel, and a new one runs.",
    read: (text) => (ON_DUPLICATE.includes(text) ? (text as OnDuplicate) : undefined),
  },
  debounceMs: {
    header: "x-stepwell-debounce",
    notForRuns: true,
    values: "duration from 1ms to 30d",
    example: "2s",
    byDefault: "no delay",
    meaning:
      "The invocation starts after this time. A later request with the same singleton key replaces it before (RT0913), and begins the time anew. An invocation that has started goes on, unless the request also has `x-stepwell-on-duplicate: replace`.",
    read: (text) => durationMs(text, DEBOUNCE_MAX_MS),
  },
};

const DEBOUNCE_MAX_MS = 30 * DAY_MS;

/** Ten years; a longer time is a mistake. */
const WITHIN_MAX_MS = 3_650 * DAY_MS;

function withinMs(text: string): number | undefined {
  return durationMs(text, WITHIN_MAX_MS);
}

function durationMs(text: string, maxMs: number): number | undefined {
  const ms = parseDurationMs(text);
  return ms !== undefined && ms > 0 && ms <= maxMs ? ms : undefined;
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
  return options === undefined ? NONE : (conflictIn(options) ?? options);
}

/** Two options that do not fit together. */
function conflictIn({ singleton, onDuplicate, debounceMs }: RequestOptions): string | undefined {
  const { onDuplicate: duplicate, debounceMs: debounce, singleton: key } = REQUEST_OPTIONS;
  const needy = onDuplicate !== undefined ? duplicate : debounceMs !== undefined ? debounce : undefined;
  if (needy !== undefined && singleton === undefined)
    return `bad header '${needy.header}': it needs a key beside it, such as '${key.header}: ${key.example}'`;
  if (debounceMs !== undefined && onDuplicate !== undefined && onDuplicate !== "replace")
    return `bad header '${duplicate.header}': beside '${debounce.header}' it may only be 'replace', and not '${onDuplicate}'; a debounced request replaces what waits`;
  return undefined;
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
