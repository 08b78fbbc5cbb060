/**
 * The rows of the reference's suites about scopes and limits (restatedev/e2e: ScopeIsolationTest, ConcurrencyLimitTest and
 * ServiceToServiceScopeConcurrency), over exchanges that stay open.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fetch } from "../harness/local/admin-access.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type Deployment, startDeployment } from "./deployment.ts";
import { Blocked, type ProxyRequest, scopedServices } from "./scoped-handlers.ts";

const KEYS = ["one", "two", "three", "four"];
const LIMIT = 2;

let blocked: Blocked;
let deployment: Deployment;
let controlPlane: ControlPlane;
/** No key of another test is the same. */
let keys: readonly string[];

beforeAll(async () => {
  controlPlane = await startControlPlane("open");
});
beforeEach(async () => {
  await deployment?.stop();
  blocked = new Blocked();
  deployment = await startDeployment("h2c", 7, scopedServices(blocked));
  await controlPlane.register(deployment);
  keys = KEYS.map((key) => `${key}-${randomUUID()}`);
});
afterAll(async () => {
  await controlPlane?.stop();
  await deployment?.stop();
});

async function ask<Answer>(method: string, url: string, body?: unknown, headers = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect([response.ok, text]).toEqual([true, text]);
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

const ingress = <Answer>(path: string, body?: unknown, headers = {}) =>
  ask<Answer>("POST", controlPlane.ingressUri + path, body, headers);

async function sendIn(
  scope: string,
  target: string,
  body: unknown,
  idempotencyKey: string = randomUUID(),
): Promise<string> {
  const headers = { "idempotency-key": idempotencyKey };
  const path = `/restate/scope/${scope}/send/${target}`;
  return (await ingress<{ invocationId: string }>(path, body, headers)).invocationId;
}

const attach = (id: string) => ask<string>("GET", `${controlPlane.ingressUri}/restate/invocation/${id}/attach`);

async function limit(pattern: string, concurrency: number): Promise<void> {
  const made = await ask<{ version: number }[]>("PUT", `${controlPlane.adminUri}/limits/rules`, [
    { pattern, limits: { concurrency } },
  ]);
  expect(made).toHaveLength(1);
}

async function unlimit(pattern: string): Promise<void> {
  const path = `${controlPlane.adminUri}/limits/rules/bulk-delete`;
  expect(await ask("POST", path, [{ pattern }])).toEqual([pattern]);
}

async function countIn(scope: string, status: string): Promise<number> {
  const query =
    "SELECT id FROM sys_invocation WHERE target_service_name = 'BlockingProxy' " +
    `AND scope = '${scope}' AND status = '${status}'`;
  const accept = { accept: "application/json" };
  return (await ask<{ rows: unknown[] }>("POST", `${controlPlane.adminUri}/query`, { query }, accept)).rows.length;
}

/** Resolves one blocker after the other, each as soon as it waits. */
async function resolveOneByOne(): Promise<void> {
  const left = new Set(keys);
  while (left.size > 0) {
    const [key, awakeable] = await oneThatWaits([...left]);
    await ingress(`/restate/awakeables/${awakeable}/resolve`, "done");
    left.delete(key);
  }
}

async function oneThatWaits(left: readonly string[]): Promise<readonly [key: string, awakeable: string]> {
  let found: readonly [string, string] | undefined;
  await expect
    .poll(async () => {
      for (const key of left) {
        const awakeable = await ingress<string | null>(`/Blocker/${key}/awakeable`);
        if (awakeable !== null) found = [key, awakeable];
      }
      return found;
    })
    .toBeDefined();
  return found!;
}

test("the same idempotency key in two scopes makes two invocations", async () => {
  const scopes = [randomUUID(), randomUUID()];
  const ids = await Promise.all(scopes.map((scope) => sendIn(scope, "Random/uuid", "foo", "shared-idempotency")));
  expect(ids[0]).not.toBe(ids[1]);
  const results = await Promise.all(ids.map(attach));
  expect(results[0]).not.toBe(results[1]);
});

test("with a limit of two, two of four callers run while their calls wait, and all four end", async () => {
  const scope = `myscope-${randomUUID().slice(0, 8)}`;
  await limit(scope, LIMIT);
  const ids = await Promise.all(keys.map((key) => sendIn(scope, "BlockingProxy/block", key)));
  await expect.poll(() => countIn(scope, "running")).toBe(LIMIT);
  await expect.poll(() => countIn(scope, "pending")).toBe(KEYS.length - LIMIT);
  await resolveOneByOne();
  expect(await Promise.all(ids.map(attach))).toEqual(KEYS.map(() => "done"));
  expect(blocked.most).toBe(LIMIT);
  await unlimit(scope);
});

test("a handler's sends with a scope and a limit key run two at a time, and all four end", async () => {
  const tail = randomUUID().slice(0, 8);
  const [scope, limitKey] = [`s2s-scope-${tail}`, `s2s-limitkey-${tail}`];
  await limit(`${scope}/${limitKey}`, LIMIT);
  const requests = keys.map((input): ProxyRequest => ({
    service: "BlockingProxy",
    handler: "block",
    input,
    scope,
    limitKey,
  }));
  await ingress("/Proxy/sendMany", requests);
  await expect.poll(() => countIn(scope, "running")).toBe(LIMIT);
  await resolveOneByOne();
  for (const key of keys) await expect.poll(() => ingress(`/Blocker/${key}/result`)).toBe("done");
  expect(blocked.most).toBe(LIMIT);
  await unlimit(`${scope}/${limitKey}`);
});
