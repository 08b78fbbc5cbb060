/** A deployment that answers wrongly harms its own invocations only, and leaves nothing behind in this process. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../e2e-local/ingress-services.ts";
import { openLocalStage } from "../e2e-local/local-stage.ts";
import type { Listening, LocalStage } from "../e2e-local/local-stage.ts";
import { ask } from "../e2e-local/raw-http.ts";
import { expectNoMoreThan, footprint } from "./footprint.ts";
import { ROGUE_ANSWERS, startRogue } from "./rogue-deployment.ts";

const JSON_TYPE = { "content-type": "application/json" };
const BAD = [...Object.keys(ROGUE_ANSWERS), ...Object.keys(ROGUE_ANSWERS)];
const GOOD_CALLS = 100;

let stage: LocalStage;
let rogue: Listening;
beforeAll(async () => {
  const flags = {
    "worker.invoker.abort-timeout": "500ms",
    "worker.invoker.message-size-limit": "1MiB",
    "worker.lease": "2s",
    "default-retry-policy.initial-interval": "20ms",
    "default-retry-policy.max-interval": "20ms",
    "default-retry-policy.max-attempts": "2",
    "default-retry-policy.on-max-attempts": "kill",
    "log.level": "error",
  };
  stage = await openLocalStage({ services: INGRESS_SERVICES, flags });
  rogue = await startRogue();
  await stage.register(rogue.uri);
});
afterAll(async () => {
  await stage.close();
  await rogue.close();
});

async function greet(name: string): Promise<unknown> {
  const { body } = await ask(stage.ingressPort, "POST /Greeter/greet", JSON_TYPE, JSON.stringify(name));
  return JSON.parse(body);
}

test(`${BAD.length} bad answers beside ${GOOD_CALLS} good ones`, async () => {
  for (let warm = 0; warm < 10; warm++) await greet("warm");
  const before = footprint();
  const bad = BAD.map(async (handler) => {
    const { status, body } = await ask(stage.ingressPort, `POST /Rogue/${handler}`);
    return { handler, status, body: JSON.parse(body) as Record<string, unknown> };
  });
  for (let call = 0; call < GOOD_CALLS; call++) expect(await greet(`${call}`)).toBe(`Hello ${call}`);
  for (const { handler, status, body } of await Promise.all(bad)) {
    const code = handler === "status415" ? 415 : 500;
    expect({ handler, status }).toEqual({ handler, status: code });
    expect(body).toMatchObject({ code, source: "invocation", message: expect.stringMatching(/./) });
  }
  expect(await greet("still there")).toBe("Hello still there");
  await expectNoMoreThan(before);
  expect(stage.logged).toEqual([]);
});
