/** A deployment that answers wrongly harms its own invocations only, and leaves nothing behind in this process. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type Listening, type LocalStage } from "../harness/local/local-stage.ts";
import { ask } from "../harness/local/raw-http.ts";
import { expectNoMoreThan, footprint } from "./footprint.ts";
import { ROGUE_ANSWERS, startRogue } from "./rogue-deployment.ts";

const JSON_TYPE = { "content-type": "application/json" };
const BAD = [...Object.keys(ROGUE_ANSWERS), ...Object.keys(ROGUE_ANSWERS)];
/** These run alone, because they would delay other handlers beyond their time limits. */
const ALONE = ["endlessState", "endlessAwaiting", "connectionGone"];
const GOOD_CALLS = 100;

/**
 * Handlers whose attempts fail for the same reason. `REASONS` and `VIOLATIONS` give the expected reason of each handler,
 * because a failure for another reason would test nothing.
 */
const TOO_LARGE = ["garbage", "hugeFrame", "hugeFrameThatGoesOn", "endlessGarbage", "drips"];
const ABORTED = ["silent", "silentAfterHead"];
const REASONS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(TOO_LARGE.map((handler) => [handler, /hit message size limit: \d+ >= 1048576/])),
  ...Object.fromEntries(ABORTED.map((handler) => [handler, /'abort timeout' \(2s\) fired/])),
  text: /unexpected content type 'text\/html'/,
  nothing: /stopped before the end of the attempt/,
  half: /in the middle of a message, after 50 bytes/,
  resetInTheMiddle: /in the middle of a message, after 50 bytes|the peer reset the stream/,
  reset: /the peer reset the stream/,
  connectionGone: /the connection was closed/,
  status500: /http status code: 500/,
  status404: /http status code: 404/,
  status413: /content too large/,
  throttled: /rate limited/,
  manyHeaders: /stopped before the end of the attempt/,
};
const VIOLATIONS: Readonly<Record<string, RegExp>> = {
  endlessUnknown: /0x7c01 is no known command/,
  endlessOutputs: /Output \(0x0401\) is not readable/,
  endlessState: /the journal would have more than 100000 entries/,
  endlessAwaiting: /the attempt sent more than 8388608 bytes/,
  packed: /0x1f8b is no known command/,
  endWithoutOutput: /ended without an output/,
  notification: /must not send notifications/,
  broken: /is not readable/,
};

function expectedOf(handler: string): { readonly code: number; readonly reason: RegExp } {
  if (handler === "status415") return { code: 415, reason: /doesn't support the protocol version/ };
  const violation = VIOLATIONS[handler];
  return violation === undefined ? { code: 500, reason: REASONS[handler]! } : { code: 571, reason: violation };
}

let stage: LocalStage;
let rogue: Listening;
beforeAll(async () => {
  const flags = {
    "worker.invoker.message-size-limit": "1MiB",
    "worker.lease": "2s",
    "default-retry-policy.initial-interval": "20ms",
    "default-retry-policy.max-interval": "20ms",
    "default-retry-policy.max-attempts": "2",
    "default-retry-policy.on-max-attempts": "kill",
    "log.level": "error",
    // An open circuit would delay the attempts, whose failures these tests check one by one.
    "worker.invoker.circuit-breaker": "false",
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
  const provoked = async (handler: string) => {
    const { status, body } = await ask(stage.ingressPort, `POST /Rogue/${handler}`);
    return { handler, status, body: JSON.parse(body) as Record<string, unknown> };
  };
  const bad = BAD.filter((handler) => !ALONE.includes(handler)).map(provoked);
  for (let call = 0; call < GOOD_CALLS; call++) expect(await greet(`${call}`)).toBe(`Hello ${call}`);
  const answers = await Promise.all(bad);
  for (const handler of ALONE) answers.push(await provoked(handler));
  for (const { handler, status, body } of answers) {
    const { code, reason } = expectedOf(handler);
    expect({ handler, status, message: body["message"] }).toEqual({
      handler,
      status: code,
      message: expect.stringMatching(reason),
    });
    expect(body).toMatchObject({ code, source: "invocation" });
  }
  expect(await greet("still there")).toBe("Hello still there");
  await expectNoMoreThan(before);
  expect(stage.logged).toEqual([]);
});
