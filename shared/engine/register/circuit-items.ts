/** Stores open circuits in the meta table. Their items are beside the slow and long notes, so that one query reads all of them. */
import { circuitName, type OpenCircuit } from "../../core/model/circuit.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Condition, Item, Key, Table } from "../ports/table.ts";

/** The prefix of the sort keys. */
export const CIRCUIT_PREFIX = "open#";
/** A circuit expires this long after its wait if no process changes it, for example because its service gets no calls. */
const KEPT_S = 3_600;

/** @returns undefined for an item of another format */
export function circuitOf(item: Item): OpenCircuit | undefined {
  const { deploymentId, service, sinceMs, untilMs, pauseMs, reason } = item;
  if (typeof deploymentId !== "string" || typeof service !== "string" || typeof reason !== "string") return undefined;
  if (typeof sinceMs !== "number" || typeof untilMs !== "number" || typeof pauseMs !== "number") return undefined;
  return { deploymentId: deploymentId as DeploymentId, service, sinceMs, untilMs, pauseMs, reason };
}

/**
 * Opens a circuit, or changes an open one.
 * @param before the circuit as read; undefined if it was not open
 * @returns false if another process has changed the circuit since that read
 */
export async function putCircuit(
  meta: Table,
  pk: string,
  circuit: OpenCircuit,
  before: OpenCircuit | undefined,
): Promise<boolean> {
  const expiresAtS = Math.ceil(circuit.untilMs / 1000) + KEPT_S;
  const item = { ...keyOf(pk, circuit), ...circuit, expiresAtS };
  return (await meta.put(item, before === undefined ? { kind: "absent" } : unchanged(before))).written;
}

/** Closes a circuit, even if another process has changed it meanwhile, because one success is enough. */
export async function deleteCircuit(meta: Table, pk: string, circuit: OpenCircuit): Promise<void> {
  await meta.delete(keyOf(pk, circuit));
}

function unchanged({ untilMs }: OpenCircuit): Condition {
  return { kind: "equal", attribute: "untilMs", value: untilMs };
}

function keyOf(pk: string, circuit: OpenCircuit): Key {
  return { pk, sk: CIRCUIT_PREFIX + circuitName(circuit) };
}
