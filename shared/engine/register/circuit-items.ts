/** Open circuits in the meta store: their items are beside the head of the registry, so that one query reads both. */
import { circuitName, type OpenCircuit } from "../../core/model/circuit.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Condition, Item, Key, Table } from "../ports/table.ts";

/** The prefix sorts between the head and the slow handlers. */
export const CIRCUIT_PREFIX = "open#";
/** A circuit expires this long after its wait, where no process changed it: for example, its service gets no more calls. */
const KEPT_S = 3_600;

/** @returns undefined for an item of another format */
export function circuitOf(item: Item): OpenCircuit | undefined {
  const { deploymentId, service, sinceMs, untilMs, pauseMs, reason } = item;
  if (typeof deploymentId !== "string" || typeof service !== "string" || typeof reason !== "string") return undefined;
  if (typeof sinceMs !== "number" || typeof untilMs !== "number" || typeof pauseMs !== "number") return undefined;
  return { deploymentId: deploymentId as DeploymentId, service, sinceMs, untilMs, pauseMs, reason };
}

/**
 * Opens a circuit, or advances an open one.
 * @param before the circuit as read; undefined where none was open
 * @returns false where another process has changed it since
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

/** Closes a circuit, even where another process has advanced it meanwhile: one success closes it. */
export async function deleteCircuit(meta: Table, pk: string, circuit: OpenCircuit): Promise<void> {
  await meta.delete(keyOf(pk, circuit));
}

function unchanged({ untilMs }: OpenCircuit): Condition {
  return { kind: "equal", attribute: "untilMs", value: untilMs };
}

function keyOf(pk: string, circuit: OpenCircuit): Key {
  return { pk, sk: CIRCUIT_PREFIX + circuitName(circuit) };
}
