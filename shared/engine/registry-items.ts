/** The registry as it lies in the meta store: one partition, an item per deployment, and a head that counts changes. */
import type { Deployment } from "../core/model/deployment.ts";
import type { Item, Table } from "./ports/table.ts";

const HEAD = "head";
const DEPLOYMENT_PREFIX = "dep#";
const FORMAT = 1;
/** Below the 400 KB that a table takes, with room for keys and for what is not ASCII. */
export const DEPLOYMENT_MAX_BYTES = 380_000;

const TEXT = new TextEncoder();

export interface RegistryRead {
  /** The count of changes before which these deployments were read; 0 of an empty registry. */
  readonly version: number;
  readonly deployments: readonly Deployment[];
}

export function registryPk(keyPrefix: string): string {
  return `${keyPrefix}registry`;
}

export async function readVersion(meta: Table, keyPrefix: string): Promise<number> {
  const head = await meta.get({ pk: registryPk(keyPrefix), sk: HEAD });
  return typeof head?.["version"] === "number" ? head["version"] : 0;
}

/** The version is read first, so that a change in between is seen again at the next comparison. */
export async function readRegistry(meta: Table, keyPrefix: string): Promise<RegistryRead> {
  const version = await readVersion(meta, keyPrefix);
  const deployments: Deployment[] = [];
  let after: string | undefined;
  do {
    const page = await meta.query(registryPk(keyPrefix), {
      from: DEPLOYMENT_PREFIX,
      below: HEAD,
      ...(after === undefined ? {} : { after }),
    });
    for (const item of page.items) deployments.push(deploymentOf(item));
    after = page.next;
  } while (after !== undefined);
  return { version, deployments };
}

/**
 * Writes a deployment if the registry still is at `version`.
 * @returns false where another registration came first; nothing is written then
 */
export async function writeDeployment(
  meta: Table,
  keyPrefix: string,
  deployment: Deployment,
  version: number,
): Promise<boolean> {
  const pk = registryPk(keyPrefix);
  const transacted = await meta.transact([
    {
      kind: "put",
      item: { pk, sk: DEPLOYMENT_PREFIX + deployment.id, format: FORMAT, json: JSON.stringify(deployment) },
    },
    {
      kind: "put",
      item: { pk, sk: HEAD, version: version + 1 },
      condition: version === 0 ? { kind: "absent" } : { kind: "equal", attribute: "version", value: version },
    },
  ]);
  return transacted.written;
}

/** Bytes that the deployment takes in the store. */
export function deploymentBytes(deployment: Deployment): number {
  return TEXT.encode(JSON.stringify(deployment)).length;
}

function deploymentOf(item: Item): Deployment {
  if (item["format"] !== FORMAT || typeof item["json"] !== "string") {
    throw new Error(`the registry item ${item.sk} has the unknown format ${String(item["format"])}`);
  }
  return JSON.parse(item["json"]) as Deployment;
}
