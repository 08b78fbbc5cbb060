/** Kafka clusters and subscriptions in the meta store: one partition, an item for each, and a head that counts changes. */
import type { KafkaCluster, Subscription } from "../../core/registry/subscription.ts";
import type { SubscriptionId } from "../../core/model/ids.ts";
import type { SubscriptionState } from "../../core/topics/subscription-state.ts";
import type { Engine } from "../engine.ts";
import type { Item, Write } from "../ports/table.ts";
import { readPartition } from "../store/read-partition.ts";
import { type ChangeGround, changeInTurn } from "./change-in-turn.ts";

const CLUSTER_PREFIX = "cluster#";
const HEAD = "head";
const STATE_PREFIX = "state#";
const SUBSCRIPTION_PREFIX = "sub#";
const ROUND = "round";
const FORMAT = 1;

export interface KafkaRead {
  readonly clusters: readonly KafkaCluster[];
  readonly subscriptions: readonly Subscription[];
  /** Empty for a subscription that was never paused or reset, and has met no error. */
  readonly stateOf: (id: SubscriptionId) => SubscriptionState;
  /** The last subscription that the last `followRound` reached before its time was over; absent if it followed all. */
  readonly roundEndedAt?: SubscriptionId;
}

type Ground = Pick<Engine, "meta" | "settings">;

export type KafkaChange =
  | { readonly kind: "cluster"; readonly cluster: KafkaCluster }
  | { readonly kind: "no-cluster"; readonly name: string }
  | { readonly kind: "subscription"; readonly subscription: Subscription }
  | { readonly kind: "no-subscription"; readonly id: SubscriptionId }
  | { readonly kind: "state"; readonly id: SubscriptionId; readonly state: SubscriptionState };

/** Costs one query of a few items. */
export async function readKafka(ground: Ground): Promise<KafkaRead> {
  return (await readWithVersion(ground)).read;
}

/**
 * Reads, decides and writes; begins again if another change came first.
 * @param decide returns undefined to change nothing; it is called again after each refused write, and its errors pass through
 * @returns false if `decide` changes nothing
 * @throws CodedError META0005 if every write was refused
 */
export async function changeKafka(
  engine: ChangeGround,
  decide: (read: KafkaRead) => KafkaChange | undefined,
): Promise<boolean> {
  const pk = kafkaPk(engine);
  return await changeInTurn(engine, pk, async () => {
    const { read, version } = await readWithVersion(engine);
    const change = decide(read);
    if (change === undefined) return false;
    const { written } = await engine.meta.transact([
      ...writesOf(pk, change),
      {
        kind: "put",
        item: { pk, sk: HEAD, version: version + 1 },
        condition: version === 0 ? { kind: "absent" } : { kind: "equal", attribute: "version", value: version },
      },
    ]);
    return written || undefined;
  });
}

/** Does not raise the count of changes, because only the order of the next round depends on this item. */
export async function writeRoundEnd(ground: Ground, endedAt: SubscriptionId | undefined): Promise<void> {
  const key = { pk: kafkaPk(ground), sk: ROUND };
  if (endedAt === undefined) await ground.meta.delete(key);
  else await ground.meta.put({ ...key, endedAt });
}

async function readWithVersion(ground: Ground): Promise<{ readonly read: KafkaRead; readonly version: number }> {
  const items = await readPartition(ground.meta, kafkaPk(ground), {});
  const version = items.find(({ sk }) => sk === HEAD)?.["version"];
  const roundEndedAt = items.find(({ sk }) => sk === ROUND)?.["endedAt"] as SubscriptionId | undefined;
  return {
    version: typeof version === "number" ? version : 0,
    read: {
      clusters: withConfigured(
        ground,
        items.filter(({ sk }) => sk.startsWith(CLUSTER_PREFIX)).map((item) => parsed(item) as KafkaCluster),
      ),
      subscriptions: items
        .filter(({ sk }) => sk.startsWith(SUBSCRIPTION_PREFIX))
        .map((item) => parsed(item) as Subscription),
      stateOf: (id) => {
        const item = items.find(({ sk }) => sk === STATE_PREFIX + id);
        return item === undefined ? {} : (parsed(item) as SubscriptionState);
      },
      ...(roundEndedAt !== undefined && { roundEndedAt }),
    },
  };
}

/** A cluster of the configuration hides a stored one with its name. */
function withConfigured({ settings }: Ground, stored: readonly KafkaCluster[]): readonly KafkaCluster[] {
  const configured = settings.kafkaClusters;
  return [...configured, ...stored.filter(({ name }) => !configured.some((one) => one.name === name))];
}

function writesOf(pk: string, change: KafkaChange): readonly Write[] {
  switch (change.kind) {
    case "cluster":
      return [put(pk, CLUSTER_PREFIX + change.cluster.name, change.cluster)];
    case "subscription":
      return [put(pk, SUBSCRIPTION_PREFIX + change.subscription.id, change.subscription)];
    case "state":
      return [put(pk, STATE_PREFIX + change.id, change.state)];
    case "no-cluster":
      return [{ kind: "delete", key: { pk, sk: CLUSTER_PREFIX + change.name } }];
    case "no-subscription":
      return [SUBSCRIPTION_PREFIX, STATE_PREFIX].map((prefix) => ({
        kind: "delete",
        key: { pk, sk: prefix + change.id },
      }));
  }
}

function put(pk: string, sk: string, value: object): Write {
  return { kind: "put", item: { pk, sk, format: FORMAT, json: JSON.stringify(value) } };
}

function parsed(item: Item): unknown {
  if (item["format"] === FORMAT && typeof item["json"] === "string") return JSON.parse(item["json"]);
  throw new Error(`the item ${item.sk} has the unknown format ${String(item["format"])}`);
}

function kafkaPk({ settings }: Ground): string {
  return `${settings.keyPrefix}kafka`;
}
