/** An operator's edit of a state, applied where its turn in the queue has come: the whole state is replaced. */
import type { StateChange } from "../core/model/state-change.ts";
import type { KeyedState } from "../core/object/keyed-state.ts";
import { decode } from "../core/model/proto3-decode.ts";
import { encode } from "../core/model/proto3-encode.ts";
import { bytes, message, repeated, string, submessage } from "../core/model/proto3.ts";
import type { Nonce } from "../core/model/ids.ts";
import type { Engine } from "./engine.ts";
import { whole } from "./large-record.ts";
import type { Lock } from "./lock-record.ts";
import { writeBeside } from "./object-state.ts";
import type { Item } from "./ports/table.ts";
import { ENVELOPE_BYTES, opened, sealed } from "./record-envelope.ts";

const StoredEdit = message({
  values: repeated(submessage(1, () => message({ key: string(1), value: bytes(2) }))),
});

export function editRecord(values: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const stored = { values: [...values].map(([key, value]) => ({ key, value })) };
  return sealed(encode(StoredEdit, stored, ENVELOPE_BYTES));
}

/** Later than every segment of the holder, and in the order of the tickets. */
const BEHIND_SEGMENTS = 1_000_000_000_000;

export async function applyEdit(
  engine: Engine,
  pk: string,
  { life, grant, head }: Lock,
  state: KeyedState,
  item: Item,
): Promise<KeyedState> {
  const [readable] = await whole(engine, [item], String(item["n"]) as Nonce);
  const { values } = decode(StoredEdit, opened(readable?.["b"], "an edit of a state"));
  const stamp = { grant, segmentIndex: BEHIND_SEGMENTS + head + 1 };
  return await writeBeside(
    engine,
    pk,
    life,
    state,
    replacing(new Map(values.map(({ key, value }) => [key, value]))),
    stamp,
  );
}

/** The changes that make a state this one and no other. */
export function replacing(values: ReadonlyMap<string, Uint8Array>): readonly StateChange[] {
  const sets = [...values].map(([key, value]): StateChange => ({ kind: "set", key, value }));
  return [{ kind: "clear-all" }, ...sets];
}
