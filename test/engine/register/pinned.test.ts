/** The count of open invocations that are pinned to each deployment. */
import { expect, test } from "vitest";
import type { DeploymentId, InvocationId } from "../../../shared/core/model/ids.ts";
import { invocationPk, openKeys } from "../../../shared/engine/store/item-keys.ts";
import { pinnedCounts } from "../../../shared/engine/register/deployments-view.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const OPEN = 2_500;
const DEPLOYMENT = "dp_1" as DeploymentId;

test("a count reads the open index alone, whose entries name their deployments", async () => {
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
  const methods = new Set(process.calls.map(({ method }) => method));
  expect([...methods]).toEqual(["queryIndex"]);
});
