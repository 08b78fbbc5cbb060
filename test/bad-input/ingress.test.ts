/** Bad input at the ingress: after each row the process serves a good call and uses no more memory or sockets than before. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openListener, type HttpListener } from "../../functions/local/http-listener.ts";
import { bodyTooLargeResponse } from "../../shared/api/ingress/answers.ts";
import { ingressApp } from "../../shared/api/ingress/ingress-app.ts";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask } from "../harness/local/raw-http.ts";
import { expectNoMoreThan, footprint, rowsOf, type Footprint } from "./footprint.ts";
import { INGRESS_ROWS, SLOW_CLIENT_ROWS, type BadRow } from "./ingress-rows.ts";
import { INGRESS_H2_ROWS } from "./ingress-h2-rows.ts";
import { SEEN_WITHIN } from "../patience.ts";

/** Enough for a good call on a busy machine. */
const SHORT = { headWithinMs: 800, requestWithinMs: 1_200, idleMs: 1_000, checkEveryMs: 50 };
const SLEEP_MS = 2 * SHORT.requestWithinMs + 2 * SHORT.idleMs;

let stage: LocalStage;
/** Two more ingress servers on the engine of the process. `hasty` has shorter time limits; both accept smaller bodies. */
let listener: HttpListener;
let hasty: HttpListener;
let before: Footprint;
let goodCalls = 0;

beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES });
  const { engine } = stage.local;
  const options = {
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1_000_000,
    tooLarge: (_request: unknown, declared: boolean) => bodyTooLargeResponse(declared),
    answer: ingressApp(engine),
  };
  listener = await openListener(options);
  hasty = await openListener({ ...options, arrival: SHORT });
  for (let warm = 0; warm < 10; warm++) for (const one of [listener, hasty]) await goodCall(one);
  before = footprint();
});
afterAll(async () => {
  for (const one of [listener, hasty]) one.close();
  await stage.close();
});

async function goodCall({ port }: HttpListener): Promise<void> {
  const { status, body } = await ask(port, "POST /Greeter/greet", { "content-type": "application/json" }, '"Ada"');
  expect([status, body]).toEqual([200, '"Hello Ada"']);
  goodCalls += 1;
}

describe("leaves no request open, and leaks no memory:", () => {
  const isOver = async (act: BadRow[1], at: HttpListener): Promise<void> => {
    await act(at.port);
    await goodCall(at);
    // A client sees the end of its answer a moment before the server counts its request as ended.
    await vi.waitFor(() => expect(at.openRequests).toBe(0), SEEN_WITHIN);
    await expectNoMoreThan(before);
  };

  test.each(INGRESS_ROWS)("%s", async (_what, act) => await isOver(act, listener));
  test.each([...SLOW_CLIENT_ROWS, ...INGRESS_H2_ROWS])("%s", async (_what, act) => await isOver(act, hasty));
});

test("the time limits for the arrival of a request do not apply to its answer", async () => {
  const json = { "content-type": "application/json" };
  expect((await ask(hasty.port, "POST /Greeter/sleep", json, String(SLEEP_MS))).body).toBe('"slept"');
  goodCalls += 1;
});

test("none of the rows stored anything or logged an error", async () => {
  for (const one of [listener, hasty]) one.close();
  await stage.local.stop();
  const rows = await rowsOf(`${stage.dataDir}/journal`);
  expect(stage.logged).toEqual([]);
  const other = await openLocalStage({ services: INGRESS_SERVICES });
  const json = { "content-type": "application/json" };
  for (let call = 1; call < goodCalls; call++) await ask(other.ingressPort, "POST /Greeter/greet", json, '"Ada"');
  await ask(other.ingressPort, "POST /Greeter/sleep", json, String(SLEEP_MS));
  await other.local.stop();
  expect(rows).toBe(await rowsOf(`${other.dataDir}/journal`));
  await other.close();
});
