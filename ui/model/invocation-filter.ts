/** The filter of the list of invocations: as the reader writes it, as the address keeps it, and as the API takes it. */
import {
  ageMsOf,
  type FilterName,
  LIST_FILTERS,
  momentMsOf,
  type ListFilter,
  type ListOrder,
} from "../../shared/api/wire/list-filters.ts";
import { OUTCOME_WORDS, STATUS_WORDS } from "../../shared/api/wire/status-words.ts";
import { isCauseId } from "../../shared/core/query/cause.ts";
import { hrefTo } from "./route.ts";

const FILTERS = LIST_FILTERS.filter(({ note }) => note !== undefined) as readonly (ListFilter & { name: FilterName })[];

/** The values by filter. Only filters of names have several: one of them has to match. */
export type InvocationFilter = Readonly<Record<FilterName, readonly string[]>>;

export const NO_FILTER = Object.fromEntries(
  FILTERS.map(({ name }): [string, readonly string[]] => [name, []]),
) as InvocationFilter;

export type ReadFilter =
  | { readonly kind: "filter"; readonly filter: InvocationFilter }
  /** The text is the id of an invocation. */
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "unclear"; readonly why: string };

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
  const pattern = /(?:([a-z-]+):)?(?:"((?:[^"\\]|\\.)*)"?|([^\s"]+))?/gsy;
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
    const row = FILTERS.find((one) => one.name === name);
    if (row === undefined) {
      const names = [...FILTERS.map((one) => one.name), "id"];
      return unclear(`Write a filter as name:value, with one of ${names.join(", ")}`);
    }
    const read = withValue(filter, row, value);
    if (typeof read === "string") return unclear(read);
    filter = read;
  }
  const why = contradiction(filter);
  return why === undefined ? { kind: "filter", filter } : unclear(why);
}

/** A status or an outcome needs no name in front. */
function nameOfWord(word: string): string | undefined {
  return [...STATUSES, ...OUTCOMES].includes(word) ? "status" : undefined;
}

/** @returns the words of a refusal if the value does not belong to the filter */
function withValue(
  filter: InvocationFilter,
  { name, kind, words }: ListFilter,
  text: string,
): InvocationFilter | string {
  if (kind === "age" && ageIn(text) === undefined) return "Write an age as age:>1h (older) or age:<10m (younger)";
  if (kind === "age") return { ...filter, [name]: [/^[<>]/.test(text) ? text : `>${text}`] };
  if (kind === "moment" && momentMsOf(text, 0) === undefined)
    return `Write a moment as ${name}:2026-11-24T13:00:00Z or as an age: ${name}:1h`;
  if (kind === "texts" || kind === "moment") return { ...filter, [name]: [text] };
  const values = text.split(",").filter((value) => value !== "");
  if (values.length === 0) return `${name}: has no value`;
  const known = name === "status" ? [...STATUSES, ...OUTCOMES] : words;
  const stranger = known && values.find((value) => !known.includes(value));
  if (stranger !== undefined) return `${name}: '${stranger}' is none of ${known!.join(", ")}`;
  // The list of the API has a filter of its own for how an invocation ended.
  const ends = name === "status" ? values.filter((value) => OUTCOMES.includes(value)) : [];
  const rest = values.filter((value) => !ends.includes(value));
  const added = { ...filter, outcome: distinct([...filter.outcome, ...ends]) };
  return { ...added, [name]: distinct([...added[name as FilterName], ...rest]) };
}

/** The sign and the age of `>1h` (older) or `<10m` (younger). */
function ageIn(text: string): { readonly isYounger: boolean; readonly age: string } | undefined {
  const age = text.replace(/^[<>]/, "");
  return ageMsOf(age) === undefined ? undefined : { isYounger: text.startsWith("<"), age };
}

function contradiction(filter: InvocationFilter): string | undefined {
  for (const { name, excludes } of FILTERS) {
    const own = filter[name][0];
    const other = excludes && filter[excludes.name as FilterName].find((one) => !excludes.but.includes(one));
    if (own !== undefined && other !== undefined)
      return `'${own}' is an ${name} and '${other}' is not the status of an end: select them one after the other`;
  }
  const stranger = filter.cause.find((one) => !isCauseId(one));
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
  return FILTERS.filter(({ name }) => filter[name].length > 0)
    .map(({ name }) => `${name}:${quotedIfNeeded(filter[name].join(","))}`)
    .join(" ");
}

export function quotedIfNeeded(value: string): string {
  return value !== "" && !/[\s"\\]/.test(value) ? value : `"${value.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** Members of the address. An empty key is written as a pair of quotes, because the address leaves out empty members. */
function filterQuery(filter: InvocationFilter): Record<string, string | undefined> {
  const [key] = filter.key;
  const isOdd = key !== undefined && (key === "" || key.startsWith('"'));
  return {
    ...Object.fromEntries(FILTERS.map(({ name }) => [name, filter[name].join(",")])),
    ...(isOdd && { key: JSON.stringify(key) }),
  };
}

/** A link to the list with a filter. */
export function listHref(
  filter: Partial<InvocationFilter>,
  more: { readonly order?: ListOrder | undefined } = {},
): string {
  return hrefTo("invocations", [], { ...filterQuery({ ...NO_FILTER, ...filter }), ...more });
}

/** The filter that an address names; unclear members are left out. */
export function filterIn(query: URLSearchParams): InvocationFilter {
  const valuesIn = ({ name, kind }: ListFilter): readonly string[] => {
    const text = query.get(name);
    if (text === null) return [];
    if (kind === "names") return text.split(",").filter((one) => one !== "");
    if (kind === "texts") return [keyIn(text)];
    return (kind === "moment" ? momentMsOf(text, 0) : ageIn(text)) === undefined ? [] : [text];
  };
  return Object.fromEntries(FILTERS.map((row) => [row.name, valuesIn(row)])) as unknown as InvocationFilter;
}

function keyIn(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The query of `GET /invocations`. */
export function apiQuery(filter: InvocationFilter): URLSearchParams {
  const query = new URLSearchParams();
  for (const { name, parameter = name, kind } of FILTERS) {
    if (filter[name].length === 0) continue;
    const value = filter[name].join(",");
    const age = kind === "age" ? ageIn(value) : undefined;
    if (age === undefined) query.append(parameter, value);
    else query.append(age.isYounger ? "created_after" : "created_before", age.age);
  }
  return query;
}

/** True if no ended invocation can match. */
export function isOpenOnly({ status }: InvocationFilter): boolean {
  return status.length > 0 && status.every((one) => OPEN.includes(one));
}

/** The names that the filter box completes, with a note on the values of each. */
export const FILTER_NOTES: readonly (readonly [name: string, note: string])[] = [
  ...FILTERS.map(({ name, note = "" }) => [name, note] as const),
  ["id", "goes to the invocation"],
];

export function isEmpty(filter: InvocationFilter): boolean {
  return filterText(filter) === "";
}
