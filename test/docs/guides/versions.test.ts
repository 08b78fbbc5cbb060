/** The code of the guide about versions: a change that fits goes on, and one that does not stops with RT0016 until it is taken back. */
import { service, type Context } from "@restatedev/restate-sdk";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { began, fits, mismatches, shop } from "../../../examples/guides/versions.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { fetch } from "../../harness/local/admin-access.ts";
import { textOf } from "../page-text.ts";

let code = began;
let stage: LocalStage;
beforeAll(async () => {
  const checkout = service({
    name: "checkout",
    handlers: { place: (ctx: Context, order: string) => code(ctx, order) },
  });
  stage = await openLocalStage({
    services: [checkout],
    flags: {
      // No automatic retry comes during the test.
      "default-retry-policy.initial-interval": "1h",
      "default-retry-policy.max-interval": "1h",
      // Each sleep ends the attempt, so that the next attempt runs the changed code.
      "worker.invoker.inactivity-timeout": "0s",
    },
  });
});
afterAll(() => stage.close());
beforeEach(() => void (code = began));
afterEach(() => vi.restoreAllMocks());

async function sleeping(order: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const asked = { method: "POST", headers, body: JSON.stringify(order) };
  const sent = await fetch(`${stage.ingressUri}/checkout/place/send`, asked);
  const { invocationId } = (await sent.json()) as { readonly invocationId: string };
  await expect.poll(() => invocation(invocationId)).toMatchObject({ status: "suspended" });
  return invocationId;
}

async function invocation(id: string): Promise<object> {
  return (await (await fetch(`${stage.adminUri}/invocations/${id}`)).json()) as object;
}

async function resultOf(id: string): Promise<unknown> {
  return await (await fetch(`${stage.ingressUri}/restate/invocation/${id}/attach`)).json();
}

it("a step behind what is recorded fits the running invocations", async () => {
  const reserve = vi.spyOn(shop, "reserve");
  const id = await sleeping("o-1");
  code = fits;
  expect(await resultOf(id)).toBe("receipt of o-1, and notified");
  expect(reserve).toHaveBeenCalledTimes(1);
});

it("a step in the place of a sleep stops with RT0016, and with the old code the invocation goes on", async () => {
  const charge = vi.spyOn(shop, "charge");
  const id = await sleeping("o-2");
  code = mismatches;
  const failing = { status: "backing-off", last_failure: { error_code: "RT0016" } };
  await expect.poll(() => invocation(id)).toMatchObject(failing);
  expect(charge).not.toHaveBeenCalled();
  code = began;
  expect((await fetch(`${stage.adminUri}/invocations/${id}/resume`, { method: "PATCH" })).ok).toBe(true);
  expect(await resultOf(id)).toBe("receipt of o-2");
  expect(charge).toHaveBeenCalledTimes(1);
});

it("the page shows both changes", () => {
  const page = textOf("docs/guides/versions-and-mismatches.md");
  for (const name of ["began", "fits", "mismatches"]) expect(page).toContain(`export const ${name}: Place`);
});
