/** Reads the acceptance that is stored under an id. The acceptance shows which life of the id is the current one. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { readAcceptance } from "./acceptance-record.ts";
import type { StorePorts } from "./store-ports.ts";
import { ACCEPTANCE_SK, invocationPk } from "./item-keys.ts";
import { reassemble } from "./large-record.ts";
import type { Item } from "../ports/table.ts";

/** @returns the stored item, whatever life it belongs to; undefined if there is none */
export async function existingAcceptance({ table, settings }: StorePorts, id: InvocationId): Promise<Item | undefined> {
  const item = await table.get({ pk: invocationPk(settings.keyPrefix, id), sk: ACCEPTANCE_SK });
  return item?.["n"] === undefined ? undefined : item;
}

/** Decodes the item. If a large input is stored in pieces, this costs another read. @throws StoreError */
export async function acceptanceIn(engine: StorePorts, id: InvocationId, item: Item): Promise<Acceptance> {
  const [readable] = await reassemble(engine, [item], item["n"] as Nonce);
  return readAcceptance(id, readable ?? item).acceptance;
}
