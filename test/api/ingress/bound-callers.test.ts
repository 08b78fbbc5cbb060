/** Where callers are bound, keys and ids lead each of them only to what the same principal made; a look at the rest shows nothing. */
import { expect, test } from "vitest";
import type { HttpResponse } from "../../../shared/api/http/message.ts";
import { ingressApp } from "../../../shared/api/ingress/ingress-app.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { freshId, idempotentId } from "../../../shared/engine/accept/invocation-ids.ts";
import { type Actor, type Stage, sendOn } from "../../harness/engine/engine-fixture.ts";
import { workflowOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";
import { request } from "./small-world.ts";

const open = stages();
const ROLE = "arn:aws:sts::123456789012:assumed-role/orders";
const ADA = `${ROLE}/ada`;
/** Another session of the same role. */
const ADA_AGAIN = `${ROLE}/i-0abc`;
const EVE = "arn:aws:sts::123456789012:assumed-role/guests/eve";
const SUPPORT = "arn:aws:sts::123456789012:assumed-role/support/sue";
const READERS = ["arn:aws:iam::123456789012:role/staff/support"];
const KEY = { "idempotency-key": "order-17" };

type Ask = (
  line: string,
  caller: string | undefined,
  headers?: Readonly<Record<string, string>>,
  body?: string,
) => Promise<HttpResponse & { readonly text: string }>;

async function play(boundExcept: readonly string[] | undefined = READERS) {
  const stage = await open(
    {
      echo: (ctx) => `of ${ctx.input}`,
      callsKeyed: async (ctx) => await ctx.get(ctx.call("echo", ctx.input, { idempotencyKey: "order-17" })),
      run: (ctx) => `ran ${ctx.input}`,
    },
    { services: [workflowOf()] },
  );
  const actor = stage.actor();
  actor.startWorker();
  return { stage, actor, ask: askOf(stage, actor, boundExcept) };
}

function askOf(stage: Stage, actor: Actor, boundExcept: readonly string[] | undefined): Ask {
  const app = ingressApp(actor.engine, { ...(boundExcept && { boundExcept }) });
  return async (line, caller, headers = {}, body = "") => {
    const typed = body === "" ? headers : { "content-type": "application/json", ...headers };
    const asked = { ...request(line, typed, body), ...(caller !== undefined && { caller }) };
    const response = await stage.pulse.within(2_000, app(asked));
    return { ...response, text: Buffer.from(response.body).toString() };
  };
}

const LOOKUP = { target: "idempotentInvocation", service: "S", handler: "echo", idempotencyKey: "order-17" };
const idIn = ({ text }: { text: string }): string => /inv_1\w+/.exec(text)?.[0] ?? text;

test("the same key of two principals leads to two invocations, and to one for two sessions of a role", async () => {
  const { ask } = await play();
  expect((await ask("POST /S/echo", ADA, KEY, "ada")).text).toBe("of ada");
  expect((await ask("POST /S/echo", EVE, KEY, "eve")).text).toBe("of eve");
  expect((await ask("POST /S/echo", ADA_AGAIN, KEY, "again")).text).toBe("of ada");
  const lookup = async (caller: string) => idIn(await ask("POST /restate/lookup", caller, {}, JSON.stringify(LOOKUP)));
  expect(await lookup(ADA)).toBe(await lookup(ADA_AGAIN));
  expect(await lookup(ADA)).not.toBe(await lookup(EVE));
});

test("a look by id shows another caller what it shows of an unknown id; the maker and the readers of all see the result", async () => {
  const { ask, actor } = await play();
  const id = idIn(await ask("POST /S/echo/send", ADA, {}, "ada"));
  const unknown = freshId(actor.engine);
  for (const question of ["attach", "output"]) {
    const line = (of: string) => `GET /restate/invocation/${of}/${question}`;
    for (const caller of [ADA, ADA_AGAIN, SUPPORT]) expect((await ask(line(id), caller)).text).toBe("of ada");
    for (const caller of [EVE, undefined]) {
      const [foreign, absent] = [await ask(line(id), caller), await ask(line(unknown), caller)];
      expect(foreign.status).toBe(404);
      const told = ({ status, headers, text }: typeof foreign) => JSON.stringify({ status, headers, text });
      expect(told(foreign).replaceAll(id, unknown)).toBe(told(absent));
    }
  }
});

test("the key of a workflow tells another caller neither the id of its run nor its result", async () => {
  const { ask } = await play();
  const mine = await ask("POST /W/w/run", ADA, {}, "ada");
  const id = mine.headers["x-restate-id"]!;
  expect(mine.text).toBe("ran ada");
  const described = JSON.stringify({ target: "workflow", workflowName: "W", workflowKey: "w" });
  const absent = JSON.stringify({ target: "workflow", workflowName: "W", workflowKey: "none" });
  const told = [
    await ask("GET /restate/workflow/W/w/output", EVE),
    await ask("POST /restate/lookup", EVE, {}, described),
    await ask("POST /W/w/run", EVE, {}, "eve"),
    await ask("POST /W/w/run/send", EVE, {}, "eve"),
  ];
  expect(told.map(({ status }) => status)).toEqual([404, 404, 409, 409]);
  expect(JSON.stringify(told.map(({ headers, text }) => [headers, text]))).not.toContain(id);
  expect(told[1]).toEqual(await ask("POST /restate/lookup", EVE, {}, absent));
  expect(idIn(await ask("POST /restate/lookup", ADA, {}, described))).toBe(id);
  expect((await ask("POST /W/w/run", ADA, {}, "again")).status).toBe(409);
  expect((await ask("GET /restate/workflow/W/w/output", ADA)).text).toBe("ran ada");
});

test("a request from before the binding is found by its maker, and by no other caller", async () => {
  const { ask, stage, actor } = await play();
  const before = askOf(stage, actor, undefined);
  expect((await before("POST /S/echo", ADA, KEY, "before")).text).toBe("of before");
  expect((await ask("POST /S/echo", ADA_AGAIN, KEY, "again")).text).toBe("of before");
  expect((await ask("POST /S/echo", EVE, KEY, "eve")).text).toBe("of eve");
  const { invocationId } = await sendOn(actor, "echo", "nameless");
  await stage.pulse.pass(1_000);
  const line = `GET /restate/invocation/${invocationId}/output`;
  expect([(await ask(line, ADA)).status, (await ask(line, SUPPORT)).text]).toEqual([404, "of nameless"]);
});

test("the keys that handlers use are apart from those of callers, and shared by all handlers", async () => {
  const { ask, actor } = await play();
  expect((await ask("POST /S/echo", ADA, KEY, "ada")).text).toBe("of ada");
  expect((await ask("POST /S/callsKeyed", ADA, {}, "handler")).text).toBe("of handler");
  expect((await ask("POST /S/callsKeyed", EVE, {}, "other")).text).toBe("of handler");
  const id: InvocationId = idempotentId(actor.engine, { service: "S", handler: "echo" }, "order-17");
  expect((await ask(`GET /restate/invocation/${id}/output`, EVE)).status).toBe(404);
});
