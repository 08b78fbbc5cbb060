/** Reads and edits the state of one key. A long key, or a large state, is read by statements. */
import type { StateBody } from "../../shared/api/contract/state.ts";
import { stateVersion } from "../../shared/api/wire/state-version.ts";
import {
  bytesOfHex,
  edited,
  newStateBody,
  stateOf,
  type KeyState,
  type StateEdit,
  type Values,
} from "../model/key-state.ts";
import { type KeyName, whereKey } from "../model/key-name.ts";
import { cellText, type AnswerRow } from "../model/sql-answer.ts";
import { sqlText } from "../../shared/api/wire/quoted-words.ts";
import { ask } from "./api.ts";
import { runStatement } from "./statements.ts";

/** A longer key does not fit into a request's line. */
const LINE_KEY_MAX = 4_000;
/** Values of a larger state are loaded one by one, when the reader opens them. */
const WHOLE_MAX_BYTES = 1024 * 1024;

export interface ValueSize {
  readonly name: string;
  readonly bytes: number;
}

export interface ShownState {
  readonly sizes: readonly ValueSize[];
  /** Undefined for a large state. */
  readonly whole: KeyState | undefined;
}

export async function askState(named: KeyName, aborted: AbortSignal): Promise<ShownState> {
  const { rows } = await runStatement(`select key, value_length ${fromState(named)}`, aborted);
  const sizes = rows.map((row) => ({ name: nameIn(row), bytes: Number(row["value_length"] ?? 0) }));
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) > WHOLE_MAX_BYTES) {
    return { sizes: sizes.toSorted(byName), whole: undefined };
  }
  const whole = await askWholeState(named, aborted);
  const found = [...whole.values].map(([name, { length }]) => ({ name, bytes: length }));
  return { sizes: found.toSorted(byName), whole };
}

/** All values, with the version that an edit names. */
export async function askWholeState(named: KeyName, aborted?: AbortSignal): Promise<KeyState> {
  const { service, key, scope } = named;
  if (key.length <= LINE_KEY_MAX) {
    const path = `services/${encodeURIComponent(service)}/state?${new URLSearchParams({ object_key: key, ...(scope !== undefined && { scope }) }).toString()}`;
    return stateOf(await ask<StateBody>(path, aborted === undefined ? {} : { signal: aborted }));
  }
  const { rows } = await runStatement(`select key, value ${fromState(named)}`, aborted);
  const values = new Map(rows.map((row) => [nameIn(row), valueIn(row)]));
  // Browsers offer `crypto.subtle` only to pages that come over https or from this machine.
  const version = globalThis.crypto?.subtle === undefined ? undefined : await stateVersion(values);
  return { values, version };
}

export async function askValue(named: KeyName, name: string): Promise<Uint8Array> {
  const { rows } = await runStatement(`select key, value ${fromState(named)} and key = ${sqlText(name)}`);
  return valueIn(rows[0] ?? {});
}

/** @throws ApiProblem 409 if the state is no longer `base` */
export async function sendEdit({ service, key, scope }: KeyName, base: KeyState, edit: StateEdit): Promise<Values> {
  const next = edited(base.values, edit);
  await ask(`services/${encodeURIComponent(service)}/state`, {
    method: "POST",
    body: {
      object_key: key,
      new_state: newStateBody(next),
      ...(base.version !== undefined && { version: base.version }),
      ...(scope !== undefined && { scope }),
    },
  });
  return next;
}

function fromState(named: KeyName): string {
  return `from state where ${whereKey(named)}`;
}

function nameIn(row: AnswerRow): string {
  return cellText(row["key"]) ?? "";
}

function valueIn(row: AnswerRow): Uint8Array {
  return bytesOfHex(cellText(row["value"]) ?? "");
}

/** `item-2` comes before `item-10`. */
const COLLATOR = new Intl.Collator("en", { numeric: true });

function byName(a: ValueSize, b: ValueSize): number {
  return COLLATOR.compare(a.name, b.name);
}
