/** The filter of the list of invocations: as the reader writes it, as the address keeps it, and as the API takes it. */
import { OUTCOME_WORDS, STATUS_WORDS } from "../../shared/api/wire/status-words.ts";
import { isCauseId } from "../../shared/core/query/cause.ts";
import { ageMsOf } from "./age.ts";

/** Names with several values: one of them has to match. */
export const LIST_NAMES = ["status", "outcome", "service", "handler", "deployment", "cause"] as const;
type ListName = (typeof LIST_NAMES)[number];

export interface InvocationFilter extends Readonly<Record<ListName, readonly string[]>> {
  readonly key: string | undefined;
  /** `>1h`: older than an hour; `<10m`: younger than ten minutes. */
  readonly age: string | undefined;
}

export const NO_FILTER: InvocationFilter = {
  status: [],
  outcome: [],
  service: [],
  handler: [],
  deployment: [],
  cause: [],
  key: undefined,
  age: undefined,
};

export type ReadFilter =
  | { readonly kind: "filter"; readonly filter: InvocationFilter }
  /** The text is the id of an invocation. */
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "unclear"; readonly why: string };

const NAMES = [...LIST_NAMES, "key", "age", "id"] as const;
export const FILTER_NAMES: readonly string[] = NAMES;
const OUTCOMES: readonly string[] = OUTCOME_WORDS;
const STATUSES: readonly string[] = STATUS_WORDS;
const ID = /^inv_[A-Za-z0-9]{8,60}$/;
/** The statuses that are not an end. */
const OPEN = STATUSES.filter((status) => status !== "completed");

export interface FilterToken {
  readonly name: string | undefined;
  readonly value: string;
}

/** Splits `status:paused key:"a b"` into names and values; a quoted value may contain `\"` and `\\`. */
export function tokensOf(text: string): readonly FilterToken[] {
  const pattern = /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"?|([^\s"]+))?/gsy;
  const tokens: FilterToken[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at]!)) {
      at++;
      continue;
    }
    pattern.lastIndex = at;
    const [whole = "", name, quoted, plain = ""] = pattern.exec(text) ?? [];
    tokens.push({ name, value: quoted === undefined ? plain : quoted.replace(/\\(.)/gs, "$1") });
    at += Math.max(1, whole.length);
  }
  return tokens;
}

export function readFilter(text: string): ReadFilter {
  let filter: InvocationFilter = NO_FILTER;
  for (const token of tokensOf(text)) {
    const { name = nameOfWord(token.value), value } = token;
    if (name === "id" || (token.name === undefined && ID.test(value)))
      return ID.test(value) ? { kind: "id", id: value } : unclear(`'${value}' is no id of an invocation`);
    if (name === "key") filter = { ...filter, key: value };
    else if (name === "age") {
      if (ageMsOf(value) === undefined) return unclear("Write an age as age:>1h (older) or age:<10m (younger)");
      filter = { ...filter, age: /^[<>]/.test(value) ? value : `>${value}` };
    } else if (isListName(name)) {
      const read = withValues(filter, name, value);
      if (typeof read === "string") return unclear(read);
      filter = read;
    } else return unclear(`Write a filter as name:value, with one of ${FILTER_NAMES.join(", ")}`);
  }
  const why = contradiction(filter);
  return why === undefined ? { kind: "filter", filter } : unclear(why);
}

/** A status or an outcome needs no name in front. */
function nameOfWord(word: string): string | undefined {
  return [...STATUSES, ...OUTCOMES].includes(word) ? "status" : undefined;
}

function isListName(name: string | undefined): name is ListName {
  return (LIST_NAMES as readonly (string | undefined)[]).includes(name);
}

/** @returns the words of a refusal if a value does not belong to the name */
function withValues(filter: InvocationFilter, name: ListName, text: string): InvocationFilter | string {
  const values = text.split(",").filter((value) => value !== "");
  if (values.length === 0) return `${name}: has no value`;
  const known = name === "status" ? [...STATUSES, ...OUTCOMES] : name === "outcome" ? OUTCOMES : undefined;
  const stranger = known && values.find((value) => !known.includes(value));
  if (stranger !== undefined) return `${name}: '${stranger}' is none of ${known!.join(", ")}`;
  // The list of the API has a filter of its own for how an invocation ended.
  const ends = name === "status" ? values.filter((value) => OUTCOMES.includes(value)) : [];
  const rest = values.filter((value) => !ends.includes(value));
  const added = { ...filter, outcome: distinct([...filter.outcome, ...ends]) };
  return { ...added, [name]: distinct([...added[name], ...rest]) };
}

function contradiction({ status, outcome, cause }: InvocationFilter): string | undefined {
  const openStatus = status.find((one) => one !== "completed");
  const outcomeWord = outcome[0];
  if (outcomeWord !== undefined && openStatus !== undefined)
    return `'${outcomeWord}' is an outcome and '${openStatus}' is not the status of an end: select them one after the other`;
  const stranger = cause.find((one) => !isCauseId(one));
  if (stranger !== undefined) return `cause: '${stranger}' is no cause: follow the link of a group of the overview`;
  return undefined;
}

function unclear(why: string): ReadFilter {
  return { kind: "unclear", why };
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

/** The filter as the reader would write it. */
export function filterText(filter: InvocationFilter): string {
  const lists = LIST_NAMES.filter((name) => filter[name].length > 0).map((name) => [name, filter[name].join(",")]);
  const key = filter.key === undefined ? [] : [["key", filter.key]];
  const age = filter.age === undefined ? [] : [["age", filter.age]];
  return [...lists, ...key, ...age].map(([name, value]) => `${name}:${quotedIfNeeded(value!)}`).join(" ");
}

export function quotedIfNeeded(value: string): string {
  return value !== "" && !/[\s"\\]/.test(value) ? value : `"${value.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** Members of the address. An empty key is written as a pair of quotes, because the address leaves out empty members. */
export function filterQuery(filter: InvocationFilter): Record<string, string | undefined> {
  const { key, age } = filter;
  const isOdd = key !== undefined && (key === "" || key.startsWith('"'));
  return {
    ...Object.fromEntries(LIST_NAMES.map((name) => [name, filter[name].join(",")])),
    key: isOdd ? JSON.stringify(key) : key,
    age,
  };
}

/** The filter that an address names; unclear members are left out. */
export function filterIn(query: URLSearchParams): InvocationFilter {
  const lists = LIST_NAMES.map((name) => [name, (query.get(name) ?? "").split(",").filter((one) => one !== "")]);
  const age = query.get("age") ?? undefined;
  return {
    ...(Object.fromEntries(lists) as Record<ListName, string[]>),
    key: keyIn(query.get("key")),
    age: age !== undefined && ageMsOf(age) !== undefined ? age : undefined,
  };
}

function keyIn(text: string | null): string | undefined {
  if (text === null) return undefined;
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/**
 * The query of `GET /invocations`.
 * @param nowMs the present moment by the clock of the server, because that clock also set the moments of acceptance
 */
export function apiQuery(filter: InvocationFilter, nowMs: number): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of LIST_NAMES) if (filter[name].length > 0) query.set(name, filter[name].join(","));
  if (filter.key !== undefined) query.set("key", filter.key);
  const ageMs = filter.age === undefined ? undefined : ageMsOf(filter.age);
  if (ageMs !== undefined) {
    const isYounger = filter.age!.startsWith("<");
    query.set(isYounger ? "created_after" : "created_before", new Date(nowMs - ageMs).toISOString());
  }
  return query;
}

/** True if no ended invocation can match. */
export function isOpenOnly({ status }: InvocationFilter): boolean {
  return status.length > 0 && status.every((one) => OPEN.includes(one));
}

export function isEmpty(filter: InvocationFilter): boolean {
  return filterText(filter) === "";
}
