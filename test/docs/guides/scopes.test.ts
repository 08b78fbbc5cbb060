/** The code and the requests of docs/guides/scopes.md do what the page says, on a local process with the SDK. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { gifts, wallet } from "../../../examples/guides/scopes.ts";
import { fetch } from "../../harness/local/admin-access.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { textOf } from "../page-text.ts";

let stage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: [wallet, gifts] });
});
afterAll(() => stage.close());

async function post(path: string, body: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${stage.ingressUri}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return JSON.parse(await answer.text());
}

it("the requests of the page answer with the balances that it shows", async () => {
  const lines = textOf("docs/guides/scopes.md").matchAll(/^curl localhost:8080(\S+) .* -d (\d+) +# (\d+)$/gm);
  const seen = [];
  for (const [, path = "", cents, balance] of lines) seen.push([Number(balance), await post(path, Number(cents))]);
  expect(seen).toEqual([
    [500, 500],
    [20, 20],
    [1, 1],
  ]);
});

it("the handler of the page gives in the scope of the tenant, with a limit key", async () => {
  expect(await post("/restate/scope/other/call/gifts/give", { tenant: "initech", to: "bob" })).toBe(500);
  const listed = (await (await fetch(`${stage.adminUri}/invocations?scope=initech`)).json()) as object;
  expect(listed).toMatchObject({ invocations: [{ target: "wallet/bob/add", scope: "initech", limit_key: "gold/eu" }] });
});
