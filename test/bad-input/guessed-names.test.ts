/** Guessed, computed and foreign names and ids at the ingress, and what they give an attacker. */
import "../../examples/polyfill.mjs";
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { WorkflowContext } from "@restatedev/restate-sdk";
import * as restate from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { INVOCATION_ID_BYTES, invocationIdBytes, invocationIdFromBytes } from "../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../shared/core/protocol/awakeable-id.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask } from "../harness/local/raw-http.ts";
import { SEEN_WITHIN } from "../patience.ts";

const JSON_TYPE = { "content-type": "application/json" };
/** The first signal index that SDKs use; the following ones count up. */
const FIRST_SIGNAL = 17;
const NO_INPUT = new Uint8Array(0);

const approvals: string[] = [];
const SERVICES = [
  restate.workflow({
    name: "Approval",
    handlers: {
      run: async (ctx: WorkflowContext) => {
        const { id, promise } = ctx.awakeable<string>();
        approvals.push(id);
        return `secret ${await promise}`;
      },
    },
  }),
  restate.service({ name: "Vault", handlers: { open: async () => "secret" } }),
  restate.service({
    name: "Front",
    handlers: {
      open: async (ctx: restate.Context) => {
        await ctx.genericCall({
          service: "Vault",
          method: "open",
          parameter: NO_INPUT,
          idempotencyKey: "order-1",
        });
        return "done";
      },
      ask: async (ctx: restate.Context) => {
        ctx.genericSend({
          service: "Approval",
          method: "run",
          key: "order-1",
          parameter: NO_INPUT,
        });
        return "asked";
      },
    },
  }),
];

let stage: LocalStage;
let other: LocalStage;
beforeAll(async () => {
  // A handler that waits is suspended at once, not after the minute for which its exchange would stay open.
  const options = { services: SERVICES, flags: { "worker.invoker.inactivity-timeout": "0s" } };
  [stage, other] = await Promise.all([openLocalStage(options), openLocalStage(options)]);
  expect((await post("/Front/open")).body).toBe('"done"');
  expect((await post("/Front/ask")).body).toBe('"asked"');
  await vi.waitFor(() => expect(approvals).toHaveLength(1), SEEN_WITHIN);
  for (const service of ["Vault", "Approval"]) {
    const asked = await ask(stage.adminPort, `PATCH /services/${service}`, JSON_TYPE, '{"public":false}');
    expect(asked.status).toBe(200);
  }
});
afterAll(async () => {
  await Promise.all([stage.close(), other.close()]);
});

const post = (path: string, body = "null", port = stage.ingressPort) => ask(port, `POST ${path}`, JSON_TYPE, body);
const get = (path: string) => ask(stage.ingressPort, `GET ${path}`);

const VAULT = { target: "idempotentInvocation", service: "Vault", handler: "open", idempotencyKey: "order-1" };
const APPROVAL = { target: "workflow", workflowName: "Approval", workflowKey: "order-1" };

/** Every way to name an invocation by a guessable name. */
const BY_NAME = [
  ["attached to by an idempotency key", () => get("/restate/invocation/Vault/open/order-1/attach")],
  ["asked for its output by an idempotency key", () => get("/restate/invocation/Vault/open/order-1/output")],
  ["attached to by the key of a workflow", () => get("/restate/workflow/Approval/order-1/attach")],
  ["asked for its output by the key of a workflow", () => get("/restate/workflow/Approval/order-1/output")],
  ...["attach", "output", "lookup"].flatMap((question) => [
    [
      `found by ${question} with an idempotency key in the body`,
      () => post(`/restate/${question}`, JSON.stringify(VAULT)),
    ] as const,
    [
      `found by ${question} with the key of a workflow in the body`,
      () => post(`/restate/${question}`, JSON.stringify(APPROVAL)),
    ] as const,
  ]),
] as const;

describe("a private service", () => {
  test.each([
    ["called", () => post("/Vault/open")],
    ["sent to", () => post("/Approval/order-2/run/send")],
    ...BY_NAME,
  ] as const)("cannot be %s", async (_what, act) => {
    const { status, headers, body } = await act();
    expect([status, (JSON.parse(body) as { message: string }).message]).toEqual([
      400,
      "the invoked service is not public",
    ]);
    expect(body + JSON.stringify(headers)).not.toMatch(/secret|inv_1/);
  });
});

describe("an id", () => {
  const names = ["wf", "Approval", "order-1"];

  test("of a workflow differs from the guessed hashes of its public names", async () => {
    const { body } = await ask(
      stage.adminPort,
      "POST /query",
      { ...JSON_TYPE, accept: "application/json" },
      JSON.stringify({ query: "SELECT id FROM sys_invocation WHERE target_service_name = 'Approval'" }),
    );
    const { rows } = JSON.parse(body) as { rows: [{ id: string }] };
    const real = Buffer.from(invocationIdBytes(rows[0].id)).toString("hex");
    const framed = Buffer.concat(
      names.flatMap((name) => {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(name.length);
        return [length, Buffer.from(name)];
      }),
    );
    const guesses = [
      framed,
      Buffer.from(names.join("")),
      Buffer.from("Approvalorder-1"),
      Buffer.from("order-1"),
    ].flatMap((text) => [
      createHash("sha256").update(text).digest(),
      ...["", "stepwell", "\0".repeat(32)].map((key) => createHmac("sha256", key).update(text).digest()),
    ]);
    for (const guess of guesses) expect(guess.toString("hex").slice(0, 16)).not.toBe(real.slice(0, 16));
  });

  test("of the same name in another environment is different, and finds nothing here", async () => {
    const lookup = JSON.stringify({
      target: "idempotentInvocation",
      service: "Front",
      handler: "ask",
      idempotencyKey: "k",
    });
    const ids = await Promise.all(
      [stage, other].map(async ({ ingressPort }) => {
        const { body } = await post("/restate/lookup", lookup, ingressPort);
        return (JSON.parse(body) as { invocationId: string }).invocationId;
      }),
    );
    expect(ids[0]).toMatch(/^inv_1/);
    expect(ids[0]).not.toBe(ids[1]);
    const foreign = await ask(other.ingressPort, "POST /Front/ask", { ...JSON_TYPE, "idempotency-key": "k" }, "null");
    expect([foreign.status, foreign.headers["x-restate-id"]]).toEqual([200, ids[1]]);
    for (const path of [`attach/${ids[1]}`, `output/${ids[1]}`]) {
      expect((await get(`/restate/invocation/${path.split("/")[1]}/${path.split("/")[0]}`)).status).toBe(404);
    }
  });

  test("that is guessed resolves no awakeable, and leaves nothing behind", async () => {
    const guesses = Array.from({ length: 20 }, () => encodeAwakeableId(randomBytes(INVOCATION_ID_BYTES), FIRST_SIGNAL));
    const [foreign = ""] = approvals;
    const cut = foreign.slice(0, -6);
    const next = encodeAwakeableId(invocationIdBytes(invocationIdFromBytes(randomBytes(INVOCATION_ID_BYTES))), 18);
    for (const id of [...guesses, next]) {
      // The answer is the same whether or not an invocation waits, so it discloses nothing.
      expect((await post(`/restate/awakeables/${id}/resolve`, '"stolen"')).status).toBe(202);
    }
    for (const id of [cut, `${foreign}A`, foreign.replace("sign_1", "sign_2"), ""]) {
      expect((await post(`/restate/awakeables/${id}/resolve`, '"stolen"')).status).toBeGreaterThanOrEqual(400);
    }
    await vi.waitFor(
      async () =>
        expect((await ask(stage.adminPort, "GET /invocations?service=Approval")).body).toContain('"suspended"'),
      SEEN_WITHIN,
    );
    // With the real id, the awakeable can still be resolved.
    expect((await post(`/restate/awakeables/${foreign}/resolve`, '"granted"')).status).toBe(202);
    await vi.waitFor(
      async () =>
        expect((await ask(stage.adminPort, "GET /invocations?service=Approval")).body).toContain('"completed"'),
      SEEN_WITHIN,
    );
  });
});

describe("a private service that is no longer registered", () => {
  beforeAll(async () => {
    const { body } = await ask(stage.adminPort, "GET /deployments");
    for (const { id } of (JSON.parse(body) as { deployments: { id: string }[] }).deployments) {
      expect((await ask(stage.adminPort, `DELETE /deployments/${id}?force=true`)).status).toBe(202);
    }
  });

  test.each(BY_NAME)("cannot be %s", async (_what, act) => {
    const { status, headers, body } = await act();
    expect(status).toBe(404);
    expect(body + JSON.stringify(headers)).not.toMatch(/secret|inv_1/);
  });
});
