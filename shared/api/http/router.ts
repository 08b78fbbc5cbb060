/** Finds the route of a request. It compares the undecoded path with patterns such as `/deployments/:id`. */
import { RegExpRouter } from "hono/router/reg-exp-router";

export interface RouteEntry<Target> {
  /** Upper-case. */
  readonly method: string;
  /** For example `/deployments/:id`; a name with a colon matches one undecoded segment. */
  readonly pattern: string;
  readonly target: Target;
}

export type Match<Target> =
  | { readonly kind: "found"; readonly target: Target; readonly params: Readonly<Record<string, string>> }
  /** The path exists, but only with other methods. */
  | { readonly kind: "wrong-method"; readonly allow: readonly string[] }
  | { readonly kind: "unknown" };

export type Router<Target> = (method: string, path: string) => Match<Target>;

export function createRouter<Target extends object>(entries: readonly RouteEntry<Target>[]): Router<Target> {
  const router = new RegExpRouter<Target>();
  const methods = [...new Set(entries.map(({ method }) => method))].sort();
  for (const { method, pattern, target } of entries) router.add(method, pattern, target);

  function find(method: string, path: string): Match<Target> | undefined {
    const [matches, stash] = router.match(method, path);
    const first = matches[0];
    if (first === undefined) return undefined;
    const [target, names] = first;
    // `names` contains the values themselves, or their indexes in the stash.
    const params = Object.entries(names).map(([name, at]) => [name, typeof at === "number" ? stash![at]! : at]);
    return { kind: "found", target, params: Object.fromEntries(params) as Record<string, string> };
  }

  return (method, path) => {
    const match = find(method, path);
    if (match !== undefined) return match;
    const allow = methods.filter((other) => other !== method && find(other, path) !== undefined);
    return allow.length > 0 ? { kind: "wrong-method", allow } : { kind: "unknown" };
  };
}
