/** The name of a key: its service, the key, and the scope where there is one. */
import { sqlText } from "../../shared/api/wire/quoted-words.ts";
import { hrefTo } from "./route.ts";

export interface KeyName {
  readonly service: string;
  readonly key: string;
  readonly scope: string | undefined;
}

/** A link to the page of the key. */
export function keyHref({ service, key, scope }: KeyName): string {
  return hrefTo("objects", [service, key], { scope });
}

/** A text that no other key has. */
export function keyId({ service, key, scope = "" }: KeyName): string {
  return `${service}@${scope}/${key}`;
}

/** The condition of a statement. It always says something about the scope, so that the server reads one key. */
export function whereKey({ service, key, scope }: KeyName, prefix: "service" | "target_service" = "service"): string {
  const within = scope === undefined ? "scope is null" : `scope = ${sqlText(scope)}`;
  return `${prefix}_name = ${sqlText(service)} and ${prefix}_key = ${sqlText(key)} and ${within}`;
}
