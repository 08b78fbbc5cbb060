/** The state of one key, the edits of the state, and the names by which two states differ. */
import type { StateBody } from "../../shared/api/contract/state.ts";
import { isEqual } from "./byte-text.ts";

export type Values = ReadonlyMap<string, Uint8Array>;

export interface KeyState {
  readonly values: Values;
  /** Undefined if the browser cannot compute it. */
  readonly version: string | undefined;
}

/** A change by the user, who sets or removes one value, or removes every value with `clear`. */
export type StateEdit =
  | { readonly kind: "set"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: "remove"; readonly name: string }
  | { readonly kind: "clear" };

export function stateOf({ state, version }: StateBody): KeyState {
  const values = new Map(Object.entries(state).map(([name, { bytes }]) => [name, Uint8Array.from(bytes)]));
  return { values, version };
}

export function edited(values: Values, edit: StateEdit): Values {
  switch (edit.kind) {
    case "clear":
      return new Map();
    case "remove":
      return new Map([...values].filter(([name]) => name !== edit.name));
    case "set":
      return new Map([...values, [edit.name, edit.bytes]]);
  }
}

/** The member `new_state` of an edit. A value that is UTF-8 is written as text, which is shorter than a list of numbers. */
export function newStateBody(values: Values): Readonly<Record<string, string | readonly number[]>> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return Object.fromEntries(
    [...values].map(([name, bytes]) => {
      try {
        return [name, decoder.decode(bytes)] as const;
      } catch {
        return [name, [...bytes]] as const;
      }
    }),
  );
}

export function isSameState(a: Values, b: Values): boolean {
  return changedNames(a, b).length === 0;
}

/** The names whose values differ, or that only one of the states has. */
export function changedNames(before: Values, after: Values): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => {
    const [a, b] = [before.get(name), after.get(name)];
    return a === undefined || b === undefined || !isEqual(a, b);
  });
}

export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}
