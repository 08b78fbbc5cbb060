/** Completions for the box of filters: names of filters, and values that the registry and the API know. */
import { LIST_FILTERS } from "../../shared/api/wire/list-filters.ts";
import { FILTER_NOTES, quotedIfNeeded, tokensOf } from "./invocation-filter.ts";

/** Names of the registry. */
export interface KnownNames {
  readonly services: readonly { readonly name: string; readonly handlers: readonly string[] }[];
  readonly deployments: readonly { readonly id: string; readonly address: string }[];
}

export interface Completion {
  /** The token that takes the place of the unfinished one. */
  readonly token: string;
  readonly note?: string;
  /** True for the name of a filter: its value follows, so the box stays open. */
  readonly isName: boolean;
}

const AGES = [">10m", ">1h", ">1d", "<10m", "<1h"];
const MOMENTS = ["10m", "1h", "1d"];
const SHOWN_MAX = 12;

/** The unfinished token before the caret, and where it begins. */
export function unfinished(text: string, caret: number): { readonly begin: number; readonly token: string } {
  const before = text.slice(0, caret);
  const isQuoted = (before.match(/(?<!\\)"/g) ?? []).length % 2 === 1;
  const begin = isQuoted
    ? before.lastIndexOf(" ", before.lastIndexOf('"')) + 1
    : Math.max(before.lastIndexOf(" "), before.lastIndexOf("\t")) + 1;
  return { begin, token: before.slice(begin) };
}

export function completions(text: string, caret: number, known: KnownNames): readonly Completion[] {
  const { token } = unfinished(text, caret);
  const colon = token.indexOf(":");
  if (colon === -1) return names(token);
  const [name, typed] = [token.slice(0, colon), token.slice(colon + 1).replace(/^"/, "")];
  // With several values, the last one is unfinished.
  const comma = typed.lastIndexOf(",");
  const [kept, part] = [typed.slice(0, comma + 1), typed.slice(comma + 1)];
  return valuesOf(name, text, known)
    .filter(({ value, note }) => matches(value, part) || (note !== undefined && matches(note, part)))
    .slice(0, SHOWN_MAX)
    .map(({ value, note }) => ({
      token: `${name}:${quotedIfNeeded(kept + value)}`,
      isName: false,
      ...(note !== undefined && { note }),
    }));
}

function names(typed: string): readonly Completion[] {
  return FILTER_NOTES.filter(([name]) => name.startsWith(typed)).map(([name, note]) => ({
    token: `${name}:`,
    note,
    isName: true,
  }));
}

interface Value {
  readonly value: string;
  readonly note?: string;
}

function valuesOf(name: string, text: string, { services, deployments }: KnownNames): readonly Value[] {
  switch (name) {
    case "service":
      return services.map((service) => ({ value: service.name }));
    case "handler":
      return handlersOf(text, services);
    case "deployment":
      return deployments.map(({ id, address }) => ({ value: id, note: address }));
    case "age":
      return AGES.map((value) => ({ value }));
    default: {
      const filter = LIST_FILTERS.find((one) => one.name === name);
      return (filter?.kind === "moment" ? MOMENTS : (filter?.words ?? [])).map((value) => ({ value }));
    }
  }
}

/** The handlers of the services that the text names, else of all services. */
function handlersOf(text: string, services: KnownNames["services"]): readonly Value[] {
  const tokens = tokensOf(text).filter(({ name }) => name === "service");
  const named = new Set(tokens.flatMap(({ value }) => value.split(",")));
  const byName = new Map<string, string[]>();
  for (const { name: service, handlers } of services) {
    if (named.size > 0 && !named.has(service)) continue;
    for (const handler of handlers) byName.set(handler, [...(byName.get(handler) ?? []), service]);
  }
  return [...byName].map(([value, owners]) => ({ value, note: owners.join(", ") }));
}

function matches(value: string, typed: string): boolean {
  return value.toLowerCase().includes(typed.toLowerCase());
}
