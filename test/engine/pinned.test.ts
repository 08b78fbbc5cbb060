/** Tests the count of open invocations that need a deployment, in a table whose index shows too few attributes (ADR 0020). */
import { expect, test } from "vitest";
import type { DeploymentId, InvocationId } from "../../shared/core/model/ids.ts";
import { invocationPk, openKeys } from "../../shared/engine/store/item-keys.ts";
import { pinnedCounts } from "../../shared/engine/register/pinned.ts";
import { stages } from "../harness/engine/stages.ts";

const open = stages();
const OPEN = 2_500;
const DEPLOYMENT = "dp_1" as DeploymentId;

test("if the index shows too little, a count reads each open invocation's lease record once, and begins before it has read all of the index", async () => {
  const stage = await open({});
  const { engine, process } = stage.actor();
  const lookAtMs = stage.pulse.nowMs() + 86_400_000;
  for (let at = 0; at < OPEN; at++) {
    const id = at.toString(36).padStart(8, "0") as InvocationId;
    const keys = openKeys({ keyPrefix: "", indexShards: 1 }, id, lookAtMs);
    const hold = { sk: "hold#n", status: "suspended", deploymentId: DEPLOYMENT, lookAtMs };
    void stage.stores.table.put({ pk: invocationPk("", id), ...keys, ...hold });
  }
  await stage.pulse.pass(1_000);
  const counts = await stage.pulse.within(60_000, pinnedCounts(engine));
  expect([...counts]).toEqual([[DEPLOYMENT, OPEN]]);
  const methods = process.calls.map(({ method }) => method);
  const pagesBefore = methods.slice(0, methods.indexOf("get")).filter((method) => method === "queryIndex");
  expect(methods.filter((method) => method === "get")).toHaveLength(OPEN);
  expect(pagesBefore.length).toBeLessThan(methods.filter((method) => method === "queryIndex").length / 2);
});
