/** The code of the guides does what their pages say, on a local process with the SDK. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { agent, outside } from "../../../examples/guides/agent.ts";
import { bank, failureOf, payments, shipping } from "../../../examples/guides/failures.ts";
import { campaign, mail } from "../../../examples/guides/fan-out.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { fetch } from "../../harness/local/admin-access.ts";

let stage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: [agent, payments, shipping, campaign, mail] });
  process.env["STEPWELL_INGRESS_URL"] = stage.ingressUri;
});
afterAll(() => stage.close());
afterEach(() => vi.restoreAllMocks());

async function post(path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${stage.ingressUri}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function send(path: string, body: unknown): Promise<string> {
  return ((await post(`${path}/send`, body)).body as { readonly invocationId: string }).invocationId;
}

async function invocation(id: string): Promise<Record<string, unknown>> {
  return (await (await fetch(`${stage.adminUri}/invocations/${id}`)).json()) as Record<string, unknown>;
}

async function rows(query: string): Promise<readonly Record<string, unknown>[]> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(`${stage.adminUri}/query`, { method: "POST", headers, body: JSON.stringify({ query }) });
  const text = await answer.text();
  expect(answer.status, `${query}: ${text}`).toBe(200);
  return (JSON.parse(text) as { readonly rows: readonly Record<string, unknown>[] }).rows;
}

const ORDER = { id: "o-1", card: "4111" };

describe("failures and retries", () => {
  it("a step that fails is repeated within its budget", async () => {
    let times = 0;
    vi.spyOn(bank, "charge").mockImplementation(({ id }) =>
      ++times < 4 ? Promise.reject(failureOf(503, 0)) : Promise.resolve(`receipt of ${id}`),
    );
    expect(await post("payments/charge", ORDER)).toEqual({ status: 200, body: "receipt of o-1" });
    expect(times).toBe(4);
  });

  it("a step whose budget is used up throws a terminal error, after the number of executions that the page states", async () => {
    const charge = vi.spyOn(bank, "charge").mockImplementation(() => Promise.reject(failureOf(503, 0)));
    const { body } = await post("payments/charge", ORDER);
    expect(body).toMatch(/^not charged: .*The bank answered 503/);
    expect(charge).toHaveBeenCalledTimes(5);
  });

  it("a terminal error is not repeated", async () => {
    const charge = vi.spyOn(bank, "charge").mockImplementation(() => Promise.reject(failureOf(402, 0)));
    expect((await post("payments/charge", ORDER)).body).toBe("not charged: The card is declined");
    expect(charge).toHaveBeenCalledTimes(1);
  });

  it("an invocation whose attempts are used up is paused, and goes on when it is resumed", async () => {
    const charge = vi.spyOn(bank, "charge").mockImplementation(() => Promise.reject(failureOf(503, 0)));
    const id = await send("shipping/ship", ORDER);
    await expect.poll(() => invocation(id)).toMatchObject({ status: "paused" });
    expect(charge).toHaveBeenCalledTimes(3);
    charge.mockResolvedValue("shipped");
    expect((await fetch(`${stage.adminUri}/invocations/${id}/resume`, { method: "PATCH" })).ok).toBe(true);
    await expect.poll(() => invocation(id)).toMatchObject({ status: "completed" });
  });
});

describe("sending later and fan-out", () => {
  const addresses = Array.from({ length: 20 }, (_, number) => `${number}@example.com`);

  it("a delayed send is scheduled, and the sender ends at once", async () => {
    const { body } = await post("campaign/remind", "ada@example.com");
    await expect.poll(() => invocation(String(body))).toMatchObject({ status: "scheduled" });
  });

  it("twenty calls give twenty results, in the order of the calls", async () => {
    const { body } = await post("campaign/deliverAll", addresses);
    expect(body).toEqual(addresses.map((to) => `delivered to ${to}`));
  });

  it("with allSettled a failure ends no other call", async () => {
    const { body } = await post("campaign/deliverWhatGoes", ["ada@example.com", "nobody"]);
    expect(body).toEqual(["delivered to ada@example.com", expect.stringMatching(/^failed: .*"nobody" is no address/)]);
  });
});

describe("agents with approval", () => {
  it("a tool that a person has to approve waits, and the loop goes on with the approval", async () => {
    const asked: string[] = [];
    vi.spyOn(outside, "ask").mockImplementation((messages) =>
      Promise.resolve(
        messages.length === 1
          ? { tool: "refund", argument: "order 7" }
          : { done: `the tool said: ${messages.at(-1)!.text}` },
      ),
    );
    vi.spyOn(outside, "askForApproval").mockImplementation((id) => Promise.resolve(void asked.push(id)));
    for (const [allowed, expected] of [
      [true, "the tool said: refund of order 7"],
      [false, "the tool said: a person refused this"],
    ] as const) {
      const id = await send("agent/answer", "Give me my money back");
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      await post(`restate/awakeables/${asked.pop()!}/resolve`, allowed);
      await expect.poll(() => invocation(id)).toMatchObject({ status: "completed" });
      const attached = await fetch(`${stage.ingressUri}/restate/invocation/${id}/output`);
      expect(await attached.json()).toBe(expected);
    }
  });
});

describe("typed clients", () => {
  it("a key charges once, from Next and from Express", async () => {
    const { charge, placeOrder, POST } = await import("../../../examples/guides/typed-client.ts");
    const order = { id: "o-2", card: "4111" };
    const bankCharge = vi.spyOn(bank, "charge");
    const answer = await POST(new Request("http://shop/orders", { method: "POST", body: JSON.stringify(order) }));
    expect(answer.status).toBe(202);
    expect(await charge(order)).toBe("receipt of o-2");
    const json = await new Promise((resolve, reject) => {
      const response = { status: () => response, json: resolve };
      placeOrder({ body: order }, response, reject);
    });
    expect(json).toEqual({ receipt: "receipt of o-2" });
    expect(bankCharge).toHaveBeenCalledTimes(1);
  });
});

describe("what is stuck", () => {
  it("every statement of the guides runs", async () => {
    const { pagesOf, textOf } = await import("../page-text.ts");
    const pages = pagesOf().filter((path) => /^docs\/(guides\/|cli)/.test(path));
    const statements = pages.flatMap((page) =>
      [...textOf(page).matchAll(/stepwell sql(?: --json)? "([^"]+)"/g)].map(([, statement]) => statement!),
    );
    expect(statements.length).toBeGreaterThan(3);
    for (const statement of statements) await rows(statement);
  });
});
