/** Removes members without a value, because the JSON of the admin API omits them. */

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

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
