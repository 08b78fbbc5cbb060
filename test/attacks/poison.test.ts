/** A poison invocation ends the server at most four times; then the invocation is paused, and other services are served. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { complaintsOf, keepFigures } from "./figures.ts";
import { POISON } from "./poison.ts";
import { strike } from "./run-attack.ts";
import type { ServerProcess } from "./server-process.ts";
import { openStage, type Stage } from "./stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

const RESTARTS_MAX = 4;
/** Much longer than the lease of the dead driver, which is ten seconds: the next attempt comes when the lease has run out. */
const QUIET_FOR_MS = SEEN_WITHIN_MS;
const CALLED_FOR_MS = 3_000;
const LOOK_EVERY_MS = 50;

test(`${POISON.name}: ${POISON.title}`, async () => {
  const stage = await openStage(POISON.name);
  try {
    expect((await poisoned(stage)).join("; ")).toBe("");
  } finally {
    await stage.close();
  }
});

async function poisoned(stage: Stage): Promise<string[]> {
  const { server, neighbour, yardstick } = stage;
  const { accepted } = await strike(stage);
  const [id] = accepted as [string];
  let deaths = 0;
  while (deaths <= RESTARTS_MAX && !(await staysUp(server, id))) {
    deaths += 1;
    // The next check notices a server that died before it answered.
    await server.start().catch(() => undefined);
  }
  neighbour.startCalling();
  await pause(CALLED_FOR_MS);
  await neighbour.stopCalling();
  const shown = await shownBy(server, id);
  const [direct, queued, health] = [neighbour.direct, neighbour.queued, neighbour.health].map((w) => w.figures());
  const [died, stopMs] = [!server.lives, await server.stop()];
  const lost = shown === undefined ? 1 : 0;
  const reason = shown?.last_failure?.message ?? "";
  const notes = { deaths, status: shown?.status ?? "unknown", reason };
  const [{ rssPeakMb }, { slowness }] = [server, yardstick];
  const measured = { direct: direct!, queued: queued!, health: health!, rssPeakMb, slowness, died, stopMs };
  const figures = { attack: POISON.name, ...measured, accepted: 1, lost, undone: 0, notes };
  const complaints = complaintsOf(figures);
  if (deaths > RESTARTS_MAX) complaints.push(`the server was killed ${deaths} times`);
  if (shown?.status !== "paused") complaints.push(`the invocation is ${notes.status}`);
  if (reason === "") complaints.push("nothing says why the invocation is paused");
  keepFigures(figures, complaints);
  return complaints;
}

/** Resolves with false when the server has died, and with true when the invocation is paused or the server stays up. */
async function staysUp(server: ServerProcess, id: string): Promise<boolean> {
  for (const untilMs = Date.now() + QUIET_FOR_MS; Date.now() < untilMs; await pause(LOOK_EVERY_MS)) {
    if (!server.lives) return false;
    if ((await shownBy(server, id))?.status === "paused") return true;
  }
  return server.lives;
}

async function shownBy(server: ServerProcess, id: string): Promise<InvocationBody | undefined> {
  try {
    const response = await fetch(`${server.site.adminUri}/invocations/${id}`, {
      signal: AbortSignal.timeout(SEEN_WITHIN_MS),
    });
    return response.ok ? ((await response.json()) as InvocationBody) : undefined;
  } catch {
    return undefined;
  }
}
