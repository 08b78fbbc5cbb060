/** Clients of shared things beside the load: what they were answered must be linearizable, whichever function is killed. */
import { createServer } from "node:http2";
import type { Server } from "node:net";
import "../../examples/polyfill.mjs";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { leaveFigures } from "../drawn-runs.ts";
import { pause, type ControlPlane } from "../e2e-aws/control-plane.ts";
import { startServer, type Peer } from "../harness/https/peer.ts";
import { playClients } from "../histories/clients.ts";
import { Recorder } from "../histories/history.ts";
import { httpDoor } from "../histories/http-door.ts";
import { historyServices, SERVICE_OF } from "../histories/services.ts";
import { verdictsOn } from "../histories/verdicts.ts";
import { Random } from "../simulation/random.ts";

const CLIENTS = 3;
const BETWEEN_MS = [0, 100, 800];
/** Longer than a gateway or a function waits, so no answer can come any more. */
const REQUEST_MAX_MS = 60_000;

export async function serveHistories(): Promise<Peer> {
  const server = createServer(createEndpointHandler({ services: historyServices, logger: () => {} }));
  return await startServer(server as Server);
}

/**
 * Plays one history after the other until a moment, and judges them.
 * @param giveUpAtMs from then on, a request without an answer is not repeated
 */
export async function playHistories(
  plane: ControlPlane,
  seed: number,
  untilMs: number,
  giveUpAtMs: number,
): Promise<readonly string[]> {
  const random = new Random(seed);
  const door = httpDoor(
    async (request) => await plane.ask({ ...request, method: "POST", signal: AbortSignal.timeout(REQUEST_MAX_MS) }),
    () => Date.now() > giveUpAtMs,
  );
  const figures = { histories: 0, operations: 0, unanswered: 0, undecided: 0 };
  const complaints: string[] = [];
  for (let round = 0; Date.now() < untilMs; round++) {
    const recorder = new Recorder();
    const size = { clients: CLIENTS, each: 8, pausesMs: [0, 0, 300] };
    const between = () => pause(random.pick(BETWEEN_MS));
    await playClients({ random, recorder, door, name: `h${seed}-${round}`, ...size, between });
    const verdicts = verdictsOn(recorder.operations, `a history of the load with seed ${seed}`);
    complaints.push(...verdicts.complaints);
    figures.histories += 1;
    figures.operations += verdicts.operations;
    figures.unanswered += verdicts.unanswered;
    figures.undecided += verdicts.undecided;
  }
  console.log(`histories      ${JSON.stringify(figures)}`);
  leaveFigures("histories-emulated-aws", figures);
  if (figures.undecided > figures.histories / 10) complaints.push(`${figures.undecided} histories are undecided`);
  return complaints;
}

/** @returns the ids of all invocations that the clients of the histories caused */
export async function idsOfHistories(plane: ControlPlane): Promise<ReadonlySet<string>> {
  const names = Object.values(SERVICE_OF).map((name) => `'${name}'`);
  const rows = await plane.rows<{ id: string }>(
    `select id from sys_invocation where target_service_name in (${names.join(", ")})`,
  );
  return new Set(rows.map(({ id }) => id));
}
