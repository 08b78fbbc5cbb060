/** How the JSON of the admin API writes members: without absent ones, moments as text, confidential values masked. */
import { MASK } from "../../../core/model/deployment.ts";
import { momentIso } from "../../../core/model/moment.ts";

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Removes members without a value. */
export function present<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
}

/** Converts a value unless it is undefined. */
export function written<Value, Text>(value: Value | undefined, write: (value: Value) => Text): Text | undefined {
  return value === undefined ? undefined : write(value);
}

/** @returns the map, or undefined if it is empty, so that the JSON omits it */
export function filled<Value>(map: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}

/** @returns the moment by RFC 3339, in UTC with nine digits after the point */
export function momentText(atMs: number): string {
  return momentIso(atMs).replace("Z", "000000Z");
}

/** Masks all values and keeps the names. */
export function maskedValues(map: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(map).map((name) => [name, MASK]));
}
