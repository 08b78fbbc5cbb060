/**
 * The three deployments whose handlers run the steps of a `Program`: one over the scripted SDK, one over the real SDK, and one
 * over the real SDK on open exchanges. Each is registered once.
 */
import { register } from "../../../shared/engine/register/register.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { deployment, handler, service } from "../../core/registry/sample-deployment.ts";
import { answerOf } from "../../harness/engine/script-context.ts";
import { readJournal } from "../../harness/engine/script-journal.ts";
import { lambdaDeployment } from "../lambda-deployment.ts";
import { MemoryTable } from "../memory-table.ts";
import { StreamDeployment, streamingDeployment } from "../stream-deployment.ts";
import { lambda, playInto, streaming } from "./play-sdk.ts";
import { scriptedPlayer } from "./play-scripted.ts";
import type { Players } from "./players.ts";
import { BRIEF, BRIEF_KEPT_MS, FLOW, HANDLER, OBJECT, SERVICE, SHARED } from "./program.ts";
import { Random } from "../random.ts";
import { World } from "./world.ts";

export type Playing = "scripted" | "sdk" | "streams";

const registered = new Map<Playing, Players>();

export async function players(playing: Playing): Promise<Players> {
  const known = registered.get(playing) ?? (playing === "scripted" ? await scripted() : await sdk(playing));
  registered.set(playing, known);
  return known;
}

async function scripted(): Promise<Players> {
  const meta = new MemoryTable();
  const keyed = { type: "object", handlers: [handler(HANDLER, { type: "exclusive" })] } as const;
  const brief = { settings: { idempotencyRetentionMs: BRIEF_KEPT_MS, journalRetentionMs: BRIEF_KEPT_MS } };
  const run = [handler(HANDLER, { type: "workflow" }), handler(SHARED, { type: "shared" })];
  const flow = service(FLOW, [], { type: "workflow", handlers: run });
  const services = [service(SERVICE, [HANDLER]), service(OBJECT, [], keyed), service(BRIEF, [HANDLER], brief), flow];
  await writeDeployment(meta, "", deployment(1, services), 0);
  return {
    meta,
    deployment(outside) {
      const player = scriptedPlayer(outside);
      return async (request) => ({
        head: {
          status: 200,
          headers: { "content-type": request.headers["content-type"] ?? "" },
          httpVersion: "h2",
        },
        body: await answerOf(player, readJournal(request)),
      });
    },
  };
}

async function sdk(playing: "sdk" | "streams"): Promise<Players> {
  const meta = new MemoryTable();
  const found: Players = {
    meta,
    deployment(outside) {
      playInto(outside);
      return playing === "sdk" ? lambdaDeployment(lambda) : streamingDeployment(streaming);
    },
    ...(playing === "streams" && { streams: () => new StreamDeployment(streaming) }),
  };
  const world = new World({ random: new Random(0), players: found, trace: () => {} });
  const uri = "http://simulated.test:9080";
  const request = { uri, useHttp11: false, additionalHeaders: {}, metadata: {}, breaking: false, dryRun: false };
  await register({ ...world.observer(), meta }, { ...request, force: false });
  return found;
}
