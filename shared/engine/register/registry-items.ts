/**
 * The registry in the meta store: one partition with deployments, rules and a head that counts their changes, and one with what drivers
 * note: open circuits, slow and long notes. A right names partitions, so a driver may write notes, and no deployment or rule.
 */
import { type OpenCircuit, circuitName } from "../../core/model/circuit.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { Rule } from "../../core/limits/rule.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import type { Condition, Item, Key, Table, Write } from "../ports/table.ts";
import { readPartition } from "../store/read-partition.ts";

const HEAD = "head";
const DEPLOYMENT_PREFIX = "dep#";
const RULE_PREFIX = "rule#";
const RULES_END = "rule$";
const SLOW_PREFIX = "slow#";
const LONG_PREFIX = "long#";
/** The life of a note on a slow or long handler: the handler may become faster. */
const SLOW_KEPT_S = 7 * DAY_S;
const FORMAT = 1;
/** Below the item limit of 400 KB, with room for the keys. */
export const DEPLOYMENT_MAX_BYTES = 380_000;

const TEXT = new TextEncoder();

export interface RegistryHead {
  /** The count of changes at the moment of the read; 0 for an empty registry. */
  readonly version: number;
  /** Handlers that were too slow for a driver with little time, as `<service>/<handler>`. */
  readonly slow: ReadonlySet<string>;
  /** Handlers with an attempt that stayed open for long, named in the same way. */
  readonly long: ReadonlySet<string>;
  /** Open circuits, by name. */
  readonly circuits: ReadonlyMap<string, OpenCircuit>;
}

export interface RegistryRead extends RegistryHead {
  readonly deployments: readonly Deployment[];
  readonly rules: readonly Rule[];
}

export function registryPk(keyPrefix: string): string {
  return `${keyPrefix}registry`;
}

export function notesPk(keyPrefix: string): string {
  return `${keyPrefix}notes`;
}

/** Costs a read and a query of a few items. */
export async function readHead(meta: Table, keyPrefix: string): Promise<RegistryHead> {
  const [head, notes] = await Promise.all([
    meta.get({ pk: registryPk(keyPrefix), sk: HEAD }),
    readPartition(meta, notesPk(keyPrefix), {}),
  ]);
  const slow = new Set<string>();
  const long = new Set<string>();
  const circuits = new Map<string, OpenCircuit>();
  for (const item of notes) {
    if (item.sk.startsWith(SLOW_PREFIX)) slow.add(item.sk.slice(SLOW_PREFIX.length));
    else if (item.sk.startsWith(LONG_PREFIX)) long.add(item.sk.slice(LONG_PREFIX.length));
    else if (item.sk.startsWith(CIRCUIT_PREFIX)) {
      const circuit = circuitOf(item);
      if (circuit !== undefined) circuits.set(circuitName(circuit), circuit);
    }
  }
  const version = head?.["version"];
  return { version: typeof version === "number" ? version : 0, slow, long, circuits };
}

export function slowName(service: string, handler: string): string {
  return `${service}/${handler}`;
}

/** The service in a name made by `slowName`: no name of a service has a slash. */
export function serviceOfSlow(name: string): string {
  return name.slice(0, name.indexOf("/"));
}

/** `slow`: an attempt was cut for time. `long`: an attempt stayed open for long, which is no failure. */
export type Slowness = "slow" | "long";

export async function writeSlow(
  meta: Table,
  keyPrefix: string,
  kind: Slowness,
  name: string,
  nowMs: number,
): Promise<void> {
  const prefix = kind === "slow" ? SLOW_PREFIX : LONG_PREFIX;
  const expiresAtS = Math.ceil(nowMs / 1000) + SLOW_KEPT_S;
  await meta.put({ pk: notesPk(keyPrefix), sk: prefix + name, expiresAtS });
}

/** Reads the version first: a change between the reads makes the next comparison of versions fail. */
export async function readRegistry(meta: Table, keyPrefix: string): Promise<RegistryRead> {
  const head = await readHead(meta, keyPrefix);
  const pk = registryPk(keyPrefix);
  const deployments: Deployment[] = [];
  const rules: Rule[] = [];
  for (const item of await readPartition(meta, pk, { from: DEPLOYMENT_PREFIX, below: RULES_END })) {
    if (item.sk.startsWith(DEPLOYMENT_PREFIX)) deployments.push(deploymentOf(item));
    else if (item.sk.startsWith(RULE_PREFIX)) rules.push(ruleOf(item));
  }
  return { ...head, deployments, rules };
}

/**
 * Writes a deployment if the registry is still at `version`.
 * @returns false if another change came first; nothing is written then
 */
export async function writeDeployment(
  meta: Table,
  keyPrefix: string,
  deployment: Deployment,
  version: number,
): Promise<boolean> {
  const item = { ...deploymentKey(keyPrefix, deployment.id), format: FORMAT, json: JSON.stringify(deployment) };
  return await changed(meta, keyPrefix, [{ kind: "put", item }], version);
}

/** Deletes a deployment if the registry is still at `version`. @returns false if another change came first */
export async function deleteDeployment(
  meta: Table,
  keyPrefix: string,
  id: DeploymentId,
  version: number,
): Promise<boolean> {
  return await changed(meta, keyPrefix, [{ kind: "delete", key: deploymentKey(keyPrefix, id) }], version);
}

function deploymentKey(keyPrefix: string, id: DeploymentId): Key {
  return { pk: registryPk(keyPrefix), sk: DEPLOYMENT_PREFIX + id };
}

/** The most rules that one change writes or deletes, because a transaction has at most a hundred writes. */
export const RULES_CHANGED_MAX = 99;

/**
 * Writes and deletes rules, all or none, if the registry is still at `version`.
 * @param patterns the patterns of the rules to delete
 * @returns false if another change came first; nothing is written then
 */
export async function changeRules(
  meta: Table,
  keyPrefix: string,
  { rules, patterns }: { readonly rules: readonly Rule[]; readonly patterns: readonly string[] },
  version: number,
): Promise<boolean> {
  const pk = registryPk(keyPrefix);
  const puts = rules.map((rule): Write => {
    return { kind: "put", item: { pk, sk: RULE_PREFIX + rule.pattern, format: FORMAT, json: JSON.stringify(rule) } };
  });
  const deletes = patterns.map((pattern): Write => ({ kind: "delete", key: { pk, sk: RULE_PREFIX + pattern } }));
  return await changed(meta, keyPrefix, [...puts, ...deletes], version);
}

function ruleOf(item: Item): Rule {
  if (item["format"] !== FORMAT || typeof item["json"] !== "string") {
    throw new Error(`the registry item ${item.sk} has the unknown format ${String(item["format"])}`);
  }
  return JSON.parse(item["json"]) as Rule;
}

/** Every change raises the count of the head, in one transaction: other processes notice the change by the count. */
async function changed(meta: Table, keyPrefix: string, writes: readonly Write[], version: number): Promise<boolean> {
  const { written } = await meta.transact([
    ...writes,
    {
      kind: "put",
      item: { pk: registryPk(keyPrefix), sk: HEAD, version: version + 1 },
      condition: version === 0 ? { kind: "absent" } : { kind: "equal", attribute: "version", value: version },
    },
  ]);
  return written;
}

/** The bytes of the deployment in the store. */
export function deploymentBytes(deployment: Deployment): number {
  return TEXT.encode(JSON.stringify(deployment)).length;
}

function deploymentOf(item: Item): Deployment {
  if (item["format"] !== FORMAT || typeof item["json"] !== "string") {
    throw new Error(`the registry item ${item.sk} has the unknown format ${String(item["format"])}`);
  }
  return JSON.parse(item["json"]) as Deployment;
}

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
