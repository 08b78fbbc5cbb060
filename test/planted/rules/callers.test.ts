/** Mistakes in the binding of callers: keys and ids lead a caller only to what the same principal made. */
import { vi } from "vitest";
import type * as Principal from "../../../shared/core/model/principal.ts";
import { idempotentId } from "../../../shared/engine/accept/invocation-ids.ts";
import type * as Ownership from "../../../shared/engine/ingress/ownership.ts";
import { ingressApp } from "../../../shared/api/ingress/ingress-app.ts";
import { request } from "../../api/ingress/small-world.ts";
import { stages } from "../../harness/engine/stages.ts";
import { ruleTests } from "./rule-tests.ts";

const planted = vi.hoisted(() => ({ now: "" }));
const IGNORED = "an idempotency key that ignores the caller";
const UNCOMPARED = "an attach that does not compare the caller";
const SESSIONS = "a principal that is a single session";
const NAMELESS = "a caller without an identity who may ask about all";

vi.mock("../../../shared/engine/ingress/ownership.ts", async (original) => {
  const right = await original<typeof Ownership>();
  const { acting } = await import("../acts.ts");
  const ownIdempotentId: typeof right.ownIdempotentId = async (engine, target, key, caller) =>
    planted.now === IGNORED
      ? acting(idempotentId(engine, target, key))
      : await right.ownIdempotentId(engine, target, key, caller);
  const mayAskAbout: typeof right.mayAskAbout = async (engine, id, by) => {
    const isWrong = planted.now === UNCOMPARED || (planted.now === NAMELESS && by.caller === undefined);
    return isWrong ? acting(true) : await right.mayAskAbout(engine, id, by);
  };
  return { ...right, ownIdempotentId, mayAskAbout };
});
vi.mock("../../../shared/core/model/principal.ts", async (original) => {
  const right = await original<typeof Principal>();
  const { acting } = await import("../acts.ts");
  const principalOf: typeof right.principalOf = (caller) =>
    planted.now === SESSIONS ? acting(caller) : right.principalOf(caller);
  return { principalOf };
});

const open = stages();
const ROLE = "arn:aws:sts::123456789012:assumed-role/orders";
const [ADA, ADA_AGAIN, EVE] = [`${ROLE}/ada`, `${ROLE}/again`, "arn:aws:sts::123456789012:assumed-role/guests/eve"];
const KEY = { "idempotency-key": "order-17" };

async function complaints(): Promise<readonly string[]> {
  const stage = await open({ echo: (ctx) => `of ${ctx.input}` });
  const actor = stage.actor();
  actor.startWorker();
  const app = ingressApp(actor.engine, { boundExcept: [] });
  const ask = async (line: string, caller: string | undefined, headers = {}, body = "") => {
    const asked = { ...request(line, headers, body), ...(caller !== undefined && { caller }) };
    const response = await stage.pulse.within(5_000, app(asked));
    return {
      id: response.headers["x-restate-id"],
      text: Buffer.from(response.body).toString(),
      status: response.status,
    };
  };
  const wrong: string[] = [];
  const expectText = (what: string, text: string, expected: string): void => {
    if (text !== expected) wrong.push(`${what}: ${text} in place of ${expected}`);
  };
  const typed = { ...KEY, "content-type": "application/json" };
  const first = await ask("POST /S/echo", ADA, typed, "ada");
  expectText("the caller", first.text, "of ada");
  expectText("another caller with the key", (await ask("POST /S/echo", EVE, typed, "eve")).text, "of eve");
  expectText("another session with the key", (await ask("POST /S/echo", ADA_AGAIN, typed, "again")).text, "of ada");
  for (const question of ["attach", "output"])
    for (const [caller, status] of [
      [ADA, 200],
      [ADA_AGAIN, 200],
      [EVE, 404],
      [undefined, 404],
    ] as const) {
      const told = await ask(`GET /restate/invocation/${first.id}/${question}`, caller);
      expectText(`${question} by ${caller}`, String(told.status), String(status));
    }
  return wrong;
}

ruleTests(import.meta.filename, planted, [IGNORED, UNCOMPARED, SESSIONS, NAMELESS], complaints);
