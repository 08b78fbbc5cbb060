/** Restarts a completed invocation as a new one, with the same input or also with the first entries of its journal. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { deadlinesAnew } from "../../core/invocation/deadlines.ts";
import type { Entry } from "../../core/invocation/entry.ts";
import { hasJournal, type Invocation } from "../../core/invocation/invocation.ts";
import { CUT_VERSION_MIN, journalPrefix } from "../../core/invocation/ways-out.ts";
import { NO_RETRIES, type Pin, type Segment } from "../../core/invocation/segment.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import {
  INVOCATION_ID_BYTES,
  invocationIdBytes,
  invocationIdFromBytes,
  type InvocationId,
} from "../../core/model/ids.ts";
import { negotiate } from "../../core/protocol/version.ts";
import { accept, newNonce } from "../accept/accept.ts";
import { NO_LEASE } from "../store/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import { invocationPk } from "../store/item-keys.ts";
import { keepUntilS } from "../store/ttl.ts";
import { chunkForPut } from "../store/large-record.ts";
import { hasExpired, load } from "../store/load.ts";
import { deploymentFor } from "./resume.ts";
import { actNow } from "../store/operator-act.ts";
import { segmentItem } from "../store/segment-record.ts";
import { startSend } from "../accept/start-send.ts";
import type { DeploymentChoice, Restart } from "../ports/submission.ts";

/**
 * How many of the first bytes of the former id a restart keeps. The column `partition_key` shows these bytes. They do not select
 * a partition of the table: the `pk` of the items contains the whole id.
 */
const PLACE_BYTES = 8;

/**
 * @param from the index of the last entry that is kept; 0 keeps only the input
 * @param by the operator, if one was authenticated
 */
export async function restart(
  engine: Engine,
  id: InvocationId,
  from: number,
  choice: DeploymentChoice,
  by?: string,
): Promise<Restart> {
  const loaded = await load(engine, id);
  const nowMs = engine.clock.nowMs();
  if (loaded === undefined || hasExpired(loaded, nowMs)) return "unknown";
  const { invocation } = loaded;
  const { status } = invocation.phase;
  if (status === "scheduled" || status === "pending") return "not-begun";
  if (status !== "completed") return "open";
  if (invocation.acceptance.handlerType === "workflow") return "workflow";
  if (!hasJournal(invocation, nowMs)) return "no-journal";
  const { pin } = invocation;
  if (from > 0 && pin === undefined) return "input-only";
  if (from > 0 && pin !== undefined && pin.protocolVersion < CUT_VERSION_MIN) return "old-version";
  const entries = journalPrefix(invocation.journal, from);
  if (entries === undefined) return "not-whole";
  // A restart that keeps only the input needs no protocol version, so the pin does not restrict the deployment.
  const chosen = await deploymentFor(engine, from > 0 ? invocation : withoutPin(invocation), choice);
  if (chosen !== undefined && "kind" in chosen) return chosen;
  const acceptance = acceptanceAnew(engine, invocation.acceptance, from);
  const newPin = pinOf(pin, chosen, from, choice);
  const begins = entries.length > 0 || newPin !== undefined;
  if (begins) await writeBeginning(engine, acceptance, entries, newPin);
  await accept(engine, acceptance, NO_LEASE, undefined, actNow(engine, "restart", by));
  await startSend(engine, acceptance, begins ? { base: 1, ...(newPin && { deploymentId: newPin.deploymentId }) } : {});
  return { kind: "restarted", invocationId: acceptance.id };
}

function withoutPin(invocation: Invocation): Invocation {
  const { pin: _, ...unpinned } = invocation;
  return unpinned;
}

/**
 * The new acceptance has no idempotency or singleton key, because the key still names the former invocation. If entries are kept,
 * the nonce is kept too, because it seeds the random numbers of the handler.
 */
function acceptanceAnew(engine: Engine, former: Acceptance, from: number): Acceptance {
  const { idempotencyKey: _, startAtMs: __, singleton: ___, replaces: ____, ...kept } = former;
  const beginning = { createdAtMs: engine.clock.nowMs() };
  const place = invocationIdBytes(former.id).subarray(0, PLACE_BYTES);
  const bytes = new Uint8Array(INVOCATION_ID_BYTES);
  bytes.set(place);
  bytes.set(engine.ids.random(INVOCATION_ID_BYTES - PLACE_BYTES), PLACE_BYTES);
  return {
    ...kept,
    id: invocationIdFromBytes(bytes),
    nonce: from > 0 ? former.nonce : newNonce(engine),
    source: { kind: "restart", formerId: former.id },
    ...beginning,
    ...deadlinesAnew(former, beginning),
  };
}

/** No pin if only the input is kept and the latest deployment is chosen: the first attempt finds that deployment. */
function pinOf(
  pin: Pin | undefined,
  chosen: Deployment | undefined,
  from: number,
  choice: DeploymentChoice,
): Pin | undefined {
  if (chosen === undefined) return pin;
  if (from > 0) return pin && { ...pin, deploymentId: chosen.id };
  if (choice.kind === "latest") return undefined;
  const protocolVersion = negotiate({ min: chosen.minProtocolVersion, max: chosen.maxProtocolVersion });
  return protocolVersion === undefined ? undefined : { deploymentId: chosen.id, protocolVersion };
}

/**
 * Writes the first segment before the acceptance. No other process has the id yet, so none sees the segment without the
 * acceptance.
 */
async function writeBeginning(
  engine: Engine,
  acceptance: Acceptance,
  entries: readonly Entry[],
  pin: Pin | undefined,
): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const { nonce } = acceptance;
  const segment: Segment = {
    index: 1,
    writtenAtMs: nowMs,
    consumed: [],
    entries,
    after: { kind: "running" },
    retries: NO_RETRIES,
    ...(pin && { pin }),
  };
  const pk = invocationPk(engine.settings.keyPrefix, acceptance.id);
  const place = {
    pk,
    nonce,
    lease: NO_LEASE,
    consumedUnits: 1,
    expiresAtS: keepUntilS(engine.settings, acceptance, nowMs),
  };
  await engine.table.put(await chunkForPut(engine, segmentItem(place, segment), nonce), { kind: "absent" });
}
