/** Bad input at the ingress: after each row the same process serves a good call and holds no more than before. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDoor } from "../../functions/local/http-door.ts";
import type { Door } from "../../functions/local/http-door.ts";
import { bodyTooLargeResponse } from "../../shared/api/ingress/answers.ts";
import { ingressFace } from "../../shared/api/ingress/ingress-face.ts";
import { ingressUseCases } from "../../shared/wiring/use-cases.ts";
import { INGRESS_SERVICES } from "../e2e-local/ingress-services.ts";
import { openLocalStage } from "../e2e-local/local-stage.ts";
import type { LocalStage } from "../e2e-local/local-stage.ts";
import { ask } from "../e2e-local/raw-http.ts";
import { expectNoMoreThan, footprint, rowsOf } from "./footprint.ts";
import type { Footprint } from "./footprint.ts";
import { INGRESS_H2_ROWS } from "./ingress-h2-rows.ts";
import { INGRESS_ROWS } from "./ingress-rows.ts";

const SHORT = { headWithinMs: 300, requestWithinMs: 600, idleMs: 400, checkEveryMs: 50 };

let stage: LocalStage;
/** Beside the one of the process, and with less patience. */
let door: Door;
let before: Footprint;
let goodCalls = 0;

beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES });
  const { engine } = stage.local;
  door = await openDoor({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1_000_000,
    arrival: SHORT,
    tooLarge: (_request, declared) => bodyTooLargeResponse(declared),
    answer: ingressFace(engine, ingressUseCases(engine)),
  });
  for (let warm = 0; warm < 20; warm++) await goodCall();
  before = footprint();
});
afterAll(async () => {
  door.close();
  await stage.close();
});

async function goodCall(): Promise<void> {
  const { status, body } = await ask(door.port, "POST /Greeter/greet", { "content-type": "application/json" }, '"Ada"');
  expect([status, body]).toEqual([200, '"Hello Ada"']);
  goodCalls += 1;
}

describe("is over when it is over:", () => {
  test.each([...INGRESS_ROWS, ...INGRESS_H2_ROWS])("%s", async (_what, act) => {
    await act(door.port);
    await goodCall();
    expect(door.openRequests).toBe(0);
    await expectNoMoreThan(before);
  });
});

test("a call may wait for its answer for longer than it may take to arrive", async () => {
  const waitMs = 2 * SHORT.requestWithinMs + 2 * SHORT.idleMs;
  const json = { "content-type": "application/json" };
  expect((await ask(door.port, "POST /Greeter/sleep", json, String(waitMs))).body).toBe('"slept"');
  goodCalls += 1;
});

test("nothing of all that is a row in the store, and nothing was worth an error in the log", async () => {
  door.close();
  await stage.local.stop();
  const rows = await rowsOf(`${stage.dataDir}/journal`);
  expect(stage.logged).toEqual([]);
  const other = await openLocalStage({ services: INGRESS_SERVICES });
  const json = { "content-type": "application/json" };
  for (let call = 1; call < goodCalls; call++) await ask(other.ingressPort, "POST /Greeter/greet", json, '"Ada"');
  await ask(other.ingressPort, "POST /Greeter/sleep", json, "5000");
  await other.local.stop();
  expect(rows).toBe(await rowsOf(`${other.dataDir}/journal`));
  await other.close();
});
