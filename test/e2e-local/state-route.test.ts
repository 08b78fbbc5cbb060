/** `POST` and `GET /services/{service}/state`: what operators read and replace, and each refusal. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gate, KEYED_SERVICES } from "../harness/local/keyed-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

let stage: LocalStage;
let keys = 0;
beforeAll(async () => {
  // Without exchanges that stay open, each await of the workflow ends its attempt, and the next one reads the state anew.
  stage = await openLocalStage({ services: KEYED_SERVICES, flags: { "worker.invoker.inactivity-timeout": "0s" } });
});
afterAll(() => stage.close());

const newKey = (): string => `k/${++keys} é`;
const JSON_TYPE = { "content-type": "application/json" };

const post = (service: string, body: unknown): Promise<Response> =>
  fetch(`${stage.adminUri}/services/${service}/state`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
const get = (service: string, query: string): Promise<Response> =>
  fetch(`${stage.adminUri}/services/${service}/state${query}`);

interface Shown {
  readonly object_key: string;
  readonly version: string;
  readonly state: Readonly<Record<string, { readonly bytes: readonly number[]; readonly utf8?: string }>>;
}

async function shown(key: string, service = "Counter"): Promise<Shown> {
  const response = await get(service, `?object_key=${encodeURIComponent(key)}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Shown;
}

async function edit(key: string, new_state: object, more: object = {}, service = "Counter"): Promise<number> {
  const response = await post(service, { object_key: key, new_state, ...more });
  const text = await response.text();
  expect(text === "").toBe(response.status === 202);
  return response.status;
}

async function handler(key: string, name: string, input?: unknown, service = "Counter"): Promise<unknown> {
  const init = input === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(input) };
  const url = `${stage.ingressUri}/${service}/${encodeURIComponent(key)}/${name}`;
  const response = await fetch(url, { method: "POST", ...init });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

describe("the state of an object", () => {
  test("is shown as bytes, and as text where it is UTF-8", async () => {
    const key = newKey();
    expect(await shown(key)).toEqual({ object_key: key, version: expect.stringMatching(/^[\w-]{43}$/), state: {} });
    await handler(key, "put", { "a b": "clé", n: 1 });
    expect((await shown(key)).state).toEqual({
      "a b": { bytes: [...Buffer.from('"clé"')], utf8: '"clé"' },
      n: { bytes: [49], utf8: "1" },
    });
    expect(await edit(key, { raw: [0xff, 0x00] })).toBe(202);
    expect((await shown(key)).state).toEqual({ raw: { bytes: [255, 0] } });
  });

  test("is replaced as a whole by values given as bytes or as text, and an empty new state clears it", async () => {
    const key = newKey();
    await handler(key, "put", { old: 1, sum: 2 });
    expect(await edit(key, { sum: [52, 48], large: `"${"x".repeat(5_000)}"`, "": "null" })).toBe(202);
    expect(await handler(key, "state")).toEqual({ sum: 40, large: "x".repeat(5_000), "": null });
    expect(await handler(key, "add", 2)).toBe(42);
    expect(await edit(key, {})).toBe(202);
    expect(await handler(key, "state")).toEqual({});
    expect(await handler(key, "add", 1)).toBe(1);
  });

  test("is replaced only at the version that was read, if the edit names a version", async () => {
    const key = newKey();
    await handler(key, "put", { sum: 1 });
    const { version } = await shown(key);
    expect(await edit(key, { sum: "5" }, { version })).toBe(202);
    expect(await edit(key, { sum: "6" }, { version })).toBe(409);
    expect(await edit(key, { sum: "7" }, { version: (await shown(key)).version })).toBe(202);
    expect(await edit(key, { sum: "8" }, { version: null })).toBe(202);
    expect(await handler(key, "sum")).toBe(8);
  });

  test("is replaced in its turn, after the call that holds the key and before a later one", async () => {
    const key = newKey();
    const holds = handler(key, "addAtGate", 1);
    await untilHeld(key);
    expect(await edit(key, { sum: "100" })).toBe(202);
    const later = handler(key, "add", 1);
    expect((await shown(key)).state).toEqual({});
    gate.pass();
    expect([await holds, await later]).toEqual([1, 101]);
  });

  /** Waits until the handler is at the gate. */
  async function untilHeld(key: string): Promise<void> {
    let stands = false;
    const pass = gate.pass;
    while (!stands) {
      await sleep(5);
      stands = gate.pass !== pass;
    }
    expect(await handler(key, "sum")).toBeNull();
  }
});

test("a state of more than 4 MiB is not shown as a whole: SQL lists its names, and an edit replaces it", async () => {
  const key = newKey();
  const put = `${stage.ingressUri}/Counter/${encodeURIComponent(key)}/put`;
  for (const name of ["a", "b"]) {
    const body = JSON.stringify({ [name]: "x".repeat(2_500_000) });
    expect((await fetch(put, { method: "POST", headers: JSON_TYPE, body })).status).toBe(200);
  }
  const refused = await get("Counter", `?object_key=${encodeURIComponent(key)}`);
  expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining("4194304 bytes")]);
  expect(await edit(key, { sum: "1" }, { version: "read before it grew" })).toBe(409);
  const query = `SELECT key, value_length FROM state WHERE service_name = 'Counter' AND service_key = '${key}'`;
  const headers = { ...JSON_TYPE, accept: "application/json" };
  const answer = await fetch(`${stage.adminUri}/query`, { method: "POST", headers, body: JSON.stringify({ query }) });
  const { rows } = (await answer.json()) as { rows: readonly { key: string; value_length: number }[] };
  expect(rows.map((row) => [row.key, Number(row.value_length)])).toEqual([
    ["a", 2_500_002],
    ["b", 2_500_002],
  ]);
  expect(await edit(key, { sum: "1" })).toBe(202);
  expect(Object.keys((await shown(key)).state)).toEqual(["sum"]);
});

test("an operator reads and replaces the state of a workflow during the run, which goes on with the new state", async () => {
  const key = newKey();
  const on = (name: string, input?: unknown) => handler(key, name, input, "Signup");
  const run = on("run", "Ada");
  while ((await on("step")) !== "waiting") await sleep(5);
  expect((await shown(key, "Signup")).state).toEqual({ step: { bytes: expect.any(Array), utf8: '"waiting"' } });
  expect(await edit(key, { step: '"edited"', note: '"noted"' }, {}, "Signup")).toBe(202);
  expect(await on("step")).toBe("edited");
  await on("answer", "yes");
  // The run replays its own changes, so it sees an edited value only if the run never set that value itself.
  expect(await run).toBe("Ada: yes, noted");
});

describe("refusals", () => {
  const body = { object_key: "k", new_state: { a: [1] } };

  test.each<readonly [string, string, unknown, number, string]>([
    ["an unknown service", "Nope", body, 404, "The requested service 'Nope' does not exist"],
    ["a service without keys", "Greeter", body, 400, "Cannot modify state for service type Service"],
    ["another version", "Counter", { ...body, version: "other" }, 409, "no longer has version 'other'"],
    ["a malformed scope", "Counter", { ...body, scope: "a b" }, 500, "bad scope value"],
  ])("%s", async (_what, service, asked, status, message) => {
    const response = await post(service, asked);
    expect([response.status, await response.json()]).toEqual([
      status,
      { message: expect.stringContaining(message) as string, restate_code: null },
    ]);
  });

  test.each<readonly [string, object, string]>([
    ["no key", { new_state: {} }, "object_key"],
    ["no state", { object_key: "k" }, "new_state"],
    ["a key that is no text", { ...body, object_key: 1 }, "object_key"],
    ["a number that is not a byte", { ...body, new_state: { a: [256] } }, "new_state.a"],
    ["a value of another kind", { ...body, new_state: { a: 1 } }, "new_state.a"],
    ["a version that is no text", { ...body, version: 1 }, "version"],
  ])("%s, in plain text with 422", async (_what, asked, field) => {
    const response = await post("Counter", asked);
    expect([response.status, response.headers.get("content-type")]).toEqual([422, "text/plain; charset=utf-8"]);
    expect(await response.text()).toContain(field);
  });

  test("invalid JSON, and a body that is not sent as JSON", async () => {
    const url = `${stage.adminUri}/services/Counter/state`;
    expect((await fetch(url, { method: "POST", headers: JSON_TYPE, body: "{" })).status).toBe(400);
    expect((await fetch(url, { method: "POST", body: JSON.stringify(body) })).status).toBe(415);
  });

  test("reads of the state without a key, of a service without keys, and of an unknown service", async () => {
    expect((await get("Counter", "")).status).toBe(400);
    const unkeyed = await get("Greeter", "?object_key=k");
    expect([unkeyed.status, await unkeyed.json()]).toEqual([
      400,
      { message: "Cannot show state for service type Service", restate_code: null },
    ]);
    expect((await get("Nope", "?object_key=k")).status).toBe(404);
  });

  test("clearing the state of an unknown service is no refusal: the answer is 202", async () => {
    expect(await edit("k", {}, {}, "Nope")).toBe(202);
  });

  test("no refused edit changed the state", async () => {
    expect((await shown("k")).state).toEqual({});
  });
});
