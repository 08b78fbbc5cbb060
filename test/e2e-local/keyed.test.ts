/** Objects and workflows at the ingress, as bytes on a socket: keys, ids, attach and output by each way to name an invocation. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KEYED_SERVICES } from "../harness/local/keyed-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask, type RawAnswer } from "../harness/local/raw-http.ts";

const JSON_TYPE = { "content-type": "application/json" };

let stage: LocalStage;
let ids = 0;
beforeAll(async () => {
  stage = await openLocalStage({ services: KEYED_SERVICES });
});
afterAll(() => stage.close());

const newId = (): string => `w${++ids}`;

const to = (line: string, body?: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  body === undefined
    ? ask(stage.ingressPort, line, headers)
    : ask(stage.ingressPort, line, { ...JSON_TYPE, ...headers }, latin1(JSON.stringify(body)));

/** The socket writes latin-1, so UTF-8 passes byte by byte. */
const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const jsonOf = ({ body }: RawAnswer): unknown => JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
const problem = (code: number, message: string, source = "ingress") => ({
  code,
  message: expect.stringContaining(message) as string,
  source,
});

describe("a key", () => {
  test.each([
    ["plain", "plain"],
    ["a%2Fb", "a/b"],
    ["a%2fc", "a/c"],
    ["", ""],
    ["%25", "%"],
    ["%252F", "%2F"],
    ["100%", "100%"],
    ["%zz", "%zz"],
    ["a+b", "a+b"],
    ["cl%C3%A9", "clé"],
    ["%E9%8D%B5", "鍵"],
    ["%F0%9F%94%91", "🔑"],
    ["%EF%BB%BFbom", "\ufeffbom"],
    ["%00", "\0"],
    ["a%3Fb%23c", "a?b#c"],
  ])("written %s is %j, and has its own state", async (written, key) => {
    for (const form of [`/Counter/${written}`, `/restate/call/Counter/${written}`]) {
      const told = await to(`POST ${form}/key`);
      expect([told.status, jsonOf(told)]).toEqual([200, key]);
    }
    expect(jsonOf(await to(`POST /Counter/${written}/add`, 1))).toBe(1);
    expect(jsonOf(await to(`POST /restate/call/Counter/${written}/add`, 2))).toBe(3);
    expect(jsonOf(await to(`GET /Counter/${written}/sum`))).toBe(3);
  });

  test("that is not UTF-8 is refused, and so is a missing one", async () => {
    const refused = await to("POST /Counter/%ff/sum");
    expect([refused.status, jsonOf(refused)]).toEqual([400, problem(400, "bad path, cannot decode key")]);
    expect((await to("POST /Counter/sum")).status).toBe(400);
    expect((await to("GET /restate/workflow/Signup/%ff/attach")).status).toBe(400);
  });
});

describe("a keyed invocation", () => {
  test.each(["/Counter/sent/add/send", "/restate/send/Counter/sent/add"])("%s is accepted with 202", async (path) => {
    const sent = await to(`POST ${path}`, 1);
    expect([sent.status, jsonOf(sent)]).toEqual([
      202,
      { invocationId: sent.headers["x-restate-id"], status: "Accepted" },
    ]);
  });

  test("is found by its key and idempotency key, in a path or in a body, and by the id that follows from them", async () => {
    const called = await to("POST /Counter/a%2Fby/add", 7, { "idempotency-key": "once" });
    const id = called.headers["x-restate-id"];
    expect(jsonOf(called)).toBe(7);
    const target = { target: "idempotentInvocation", service: "Counter", handler: "add", idempotencyKey: "once" };
    const keyed = { ...target, key: "a/by" };
    const ways: readonly (readonly [string, object?])[] = [
      ["GET /restate/invocation/Counter/a%2Fby/add/once/attach"],
      ["GET /restate/invocation/Counter/a%2Fby/add/once/output"],
      ["POST /restate/attach", keyed],
      ["POST /restate/output", keyed],
      [`GET /restate/invocation/${id}/attach`],
    ];
    for (const [line, body] of ways) {
      const answer = await to(line, body);
      expect([line, answer.status, answer.body]).toEqual([line, 200, "7"]);
      expect(answer.headers["x-restate-id"]).toBe(id);
      expect(answer.headers["idempotency-expires"]).toMatch(/^\d{4}-.*\+00:00$/);
    }
    expect(jsonOf(await to("POST /restate/lookup", keyed))).toEqual({ invocationId: id });
    expect(jsonOf(await to("POST /restate/lookup", target))).not.toEqual({ invocationId: id });
    const elsewhere = await to("GET /restate/invocation/Counter/other/add/once/output");
    expect([elsewhere.status, jsonOf(elsewhere)]).toEqual([404, problem(404, "invocation not found")]);
    const unkeyed = await to("GET /restate/invocation/Counter/add/once/output");
    expect([unkeyed.status, jsonOf(unkeyed)]).toEqual([400, problem(400, "bad path, expected either /restate/")]);
    expect(jsonOf(await to("GET /Counter/a%2Fby/sum"))).toBe(7);
  });
});

describe("a workflow", () => {
  const target = (key: string) => ({ target: "workflow", workflowName: "Signup", workflowKey: key });

  test.each([
    ["w/1", "w%2F1"],
    ["", ""],
    ["clé", "cl%C3%A9"],
  ])(
    "with id %j answers attach and output requests by its path, by a body, and by its invocation id",
    async (key, written) => {
      const sent = await to(`POST /Signup/${written}/run/send`, "Zoë");
      const id = sent.headers["x-restate-id"]!;
      expect([sent.status, jsonOf(sent)]).toEqual([202, { invocationId: id, status: "Accepted" }]);
      const again = await to(`POST /Signup/${written}/run/send`, "Bob");
      expect([again.status, jsonOf(again)]).toEqual([202, { invocationId: id, status: "PreviouslyAccepted" }]);
      expect(jsonOf(await to("POST /restate/lookup", target(key)))).toEqual({ invocationId: id });
      const asked: readonly (readonly [string, object?])[] = [
        [`GET /restate/workflow/Signup/${written}/output`],
        ["POST /restate/output", target(key)],
        [`GET /restate/output/${id}`],
      ];
      for (const [line, body] of asked) {
        const answer = await to(line, body);
        expect([answer.status, jsonOf(answer)]).toEqual([470, problem(470, "has not completed yet")]);
      }
      const attached = Promise.all([
        to(`GET /restate/workflow/Signup/${written}/attach`),
        to("POST /restate/attach", target(key)),
        to(`GET /restate/attach/${id}`),
      ]);
      const called = await to(`POST /Signup/${written}/run`, "Eve");
      expect([called.status, jsonOf(called)]).toEqual([
        409,
        problem(409, "the workflow method was already invoked", "invocation"),
      ]);
      expect(called.headers["x-restate-id"]).toBe(id);
      expect(jsonOf(await to(`POST /Signup/${written}/answer`, "yes"))).toBe("yes");
      for (const answer of await attached) {
        expect([answer.status, jsonOf(answer), answer.headers["x-restate-id"]]).toEqual([200, "Zoë: yes, waiting", id]);
      }
      for (const [line, body] of asked) expect(jsonOf(await to(line, body))).toBe("Zoë: yes, waiting");
      expect((await to(`POST /Signup/${written}/run`, "Eve")).status).toBe(409);
    },
  );

  test("takes calls to shared handlers before and after its run, with idempotency keys; a promise completes once", async () => {
    const id = newId();
    expect(jsonOf(await to(`POST /Signup/${id}/step`))).toBeNull();
    const once = { "idempotency-key": "first" };
    expect(jsonOf(await to(`POST /Signup/${id}/answer`, "early", once))).toBe("early");
    expect(jsonOf(await to(`POST /Signup/${id}/answer`, "other", once))).toBe("early");
    const late = await to(`POST /Signup/${id}/answer`, "late");
    expect([late.status, jsonOf(late)]).toEqual([409, problem(409, "promise was already completed", "invocation")]);
    expect(jsonOf(await to(`POST /Signup/${id}/run`, "Ada"))).toBe("Ada: early, waiting");
    expect(jsonOf(await to(`GET /Signup/${id}/step`))).toBe("waiting");
  });

  test("runs again after a purge of its run, under the same id, without the former state and promises", async () => {
    const key = newId();
    await to(`POST /Signup/${key}/answer`, "one");
    const first = await to(`POST /Signup/${key}/run`, "Ada");
    const id = first.headers["x-restate-id"]!;
    expect((await ask(stage.adminPort, `PATCH /invocations/${id}/purge`)).status).toBe(200);
    expect((await to(`GET /restate/workflow/Signup/${key}/output`)).status).toBe(404);
    expect(jsonOf(await to(`GET /Signup/${key}/step`))).toBeNull();
    const second = await to(`POST /Signup/${key}/run/send`, "Bob");
    expect(jsonOf(second)).toEqual({ invocationId: id, status: "Accepted" });
    expect(jsonOf(await to(`POST /Signup/${key}/answer`, "two"))).toBe("two");
    expect(jsonOf(await to(`GET /restate/workflow/Signup/${key}/attach`))).toBe("Bob: two, waiting");
  });

  test("that never began is 404 for an attach and for a read of the output", async () => {
    const key = newId();
    const attached = await to(`GET /restate/workflow/Signup/${key}/attach`);
    expect([attached.status, jsonOf(attached)]).toEqual([404, problem(404, "not found", "invocation")]);
    const described = jsonOf(await to("POST /restate/lookup", target(key))) as { invocationId: string };
    expect(attached.headers["x-restate-id"]).toBe(described.invocationId);
    expect((await to("POST /restate/output", target(key))).status).toBe(404);
  });
});
