/** Leaves out what is absent: in the JSON of the admin API a member without a value is not there. */

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

export function present<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
}

/** Applies a writer where there is something to write. */
export function written<Value, Text>(value: Value | undefined, write: (value: Value) => Text): Text | undefined {
  return value === undefined ? undefined : write(value);
}

/** Maps without entries are left out as well. */
export function filled<Value>(map: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}
