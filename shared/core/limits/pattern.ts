/** The patterns of rules: whose invocations a rule limits, and which of them share one pool of places. */

/** Takes the place of a name in a pattern: each name has a pool of its own. */
export const EACH = "*";

/** A pattern, taken apart. A name is `*` for each name. */
export type Pattern =
  /** One to three names: the scope, the first and the second part of the limit key. */
  | { readonly kind: "scope"; readonly names: readonly string[] }
  | { readonly kind: "service"; readonly names: readonly [service: string] }
  | { readonly kind: "handler"; readonly names: readonly [service: string, handler: string] }
  /** Every invocation, in one pool. */
  | { readonly kind: "global"; readonly names: readonly [] };

export type PatternKind = Pattern["kind"];

/** The pattern of every invocation. A scope cannot have this name, because a scope has no colon. */
export const GLOBAL = "global:all";

const NAME_MAX = 36;
const SCOPE_NAME = /^[a-zA-Z0-9_.-]+$/;
/** Registration refuses the name of a service or a handler with any other character (`shared/core/protocol/manifest.ts`). */
const HANDLER_NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]*$/;
const HANDLER_NAME_MAX = 255;
const PATTERN_MAX = 600;

const FORMS =
  "'acme' (a scope), '*' (each scope), 'acme/*' (each first limit key of acme), 'acme/gold/eu', 'service:Mail', " +
  `'handler:Mail/send', or '${GLOBAL}'`;

/** @returns the text without blanks around its names and without a slash at its end, as the reference server stores patterns */
export function canonicalPattern(text: string): string {
  const names = text.trim().split("/", PATTERN_MAX);
  if (names.length > 1 && names.at(-1)!.trim() === "") names.pop();
  return names.map((name) => name.trim()).join("/");
}

/** @returns the pattern, or a sentence that says why the text is none */
export function parsePattern(text: string): Pattern | string {
  if (text.length === 0) return `A pattern has no text. It should be one of ${FORMS}.`;
  if (text.length > PATTERN_MAX)
    return `A pattern has ${text.length} characters. It should have at most ${PATTERN_MAX}, for example ${FORMS}.`;
  if (text === GLOBAL) return { kind: "global", names: [] };
  const colon = text.indexOf(":");
  if (colon < 0) return scopePattern(text);
  const [kind, rest] = [text.slice(0, colon), text.slice(colon + 1)];
  if (kind === "service") return servicePattern(text, rest);
  if (kind === "handler") return handlerPattern(text, rest);
  return `The pattern '${text}' begins with '${kind}:'. It should be one of ${FORMS}.`;
}

function scopePattern(text: string): Pattern | string {
  const names = text.split("/");
  if (names.length > 3)
    return `The pattern '${text}' has ${names.length} levels. It should have at most 3: the scope and two limit keys, as in 'acme/gold/eu'.`;
  for (const name of names) {
    if (name === EACH) continue;
    if (name === "")
      return `The pattern '${text}' has an empty level. Each level should be a name or '*', as in 'acme/*'.`;
    if (name.length > NAME_MAX || !SCOPE_NAME.test(name))
      return `The pattern '${text}' has the level '${name}'. A level should be '*' or 1 to ${NAME_MAX} letters, digits, '_', '.' or '-'.`;
  }
  return { kind: "scope", names };
}

function servicePattern(text: string, name: string): Pattern | string {
  if (isHandlerName(name)) return { kind: "service", names: [name] };
  return `The pattern '${text}' names no service. It should be the name of a service, as in 'service:Mail', or 'service:*' for each service.`;
}

function handlerPattern(text: string, rest: string): Pattern | string {
  const [service = "", handler = "", ...more] = rest.split("/");
  if (more.length === 0 && isHandlerName(service) && isHandlerName(handler))
    return { kind: "handler", names: [service, handler] };
  return `The pattern '${text}' names no handler. It should be a service and a handler, as in 'handler:Mail/send' or 'handler:Mail/*'.`;
}

function isHandlerName(name: string): boolean {
  return name === EACH || (name.length <= HANDLER_NAME_MAX && HANDLER_NAME.test(name));
}
