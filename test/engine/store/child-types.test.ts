/** A child keeps the types of its service and handler from the command on, whatever is registered when it is accepted (I6). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Service } from "../../../shared/core/model/service.ts";
import { stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { deleteDeployment, writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { acceptanceIn, existingAcceptance } from "../../../shared/engine/store/acceptance-record.ts";
import { deployment, deploymentId, service } from "../../core/registry/sample-deployment.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { callOn, LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { addCount, getCount, objectOf, workflowOf } from "../../harness/engine/object-stage.ts";
import type { CallOptions, Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const services = [objectOf(["add"], ["get"]), workflowOf(["status"]), service("P", ["plain"])];

/**
 * The driver of a caller dies before it accepts the child. Then an operator removes the deployment of the child, which no
 * invocation needs.
 */
async function playWithoutService(parent: Handler, offered: readonly Service[] = services) {
  const stage = await open({ parent, add: addCount, get: getCount, run: () => "ran", plain: () => "plain" });
  const { meta } = stage.stores;
  await writeDeployment(meta, "", deployment(2, offered), 1);
  const actor = stage.actor();
  let acceptances = 0;
  const isAcceptance = (item: Item) => item.sk === "seg#000000";
  const crash = crashBefore(
    actor,
    ({ port, method, args }) =>
      port === "table" && method === "put" && isAcceptance(args[0] as Item) && ++acceptances === 2,
  );
  void callOn(actor, "parent");
  await stage.pulse.pass(1_000);
  const idIn = (item: Item) => item.pk.slice("inv#".length) as InvocationId;
  const childId = idIn(crash.at!.args[0] as Item);
  const parentId = stage.deployment.of("parent")[0]!.start.debugId as InvocationId;
  expect(await deleteDeployment(meta, "", deploymentId(2), 2)).toBe(true);
  const next = stage.actor();
  const register = async (): Promise<void> => {
    expect(await writeDeployment(meta, "", deployment(2, services), 3)).toBe(true);
  };
  return { stage, next, childId, parentId, register };
}

type Case = readonly [serviceName: string, handlerName: string, options: CallOptions, types: readonly [string, string]];

test.each<Case>([
  ["O", "add", { key: "k" }, ["object", "exclusive"]],
  ["O", "add", { key: "" }, ["object", "exclusive"]],
  ["O", "get", { key: "k" }, ["object", "shared"]],
  ["W", "run", { key: "w" }, ["workflow", "workflow"]],
  ["W", "status", { key: "w" }, ["workflow", "shared"]],
  ["P", "plain", {}, ["service", "service"]],
])("a send to %s/%s that is redone while no deployment offers it keeps its types", async (name, to, options, types) => {
  const { stage, next, childId } = await playWithoutService((ctx) => {
    ctx.send(to, "5", { service: name, ...options });
    return "done";
  });
  next.startWorker();
  await stage.pulse.pass(3 * LEASE_MS);
  const stored = await existingAcceptance(next.engine, childId);
  const { serviceType, handlerType, target } = await acceptanceIn(next.engine, childId, stored!);
  expect([serviceType, handlerType]).toEqual(types);
  expect(target.key).toBe(options.key);
});

test.each(["send", "call"] as const)(
  "a %s to an exclusive handler that is redone while no deployment offers it runs under its key later",
  async (kind) => {
    const { stage, next, childId, register } = await playWithoutService(async (ctx) => {
      const child = ctx[kind]("add", "5", { service: "O", key: "k" });
      return kind === "call" ? await ctx.get(child) : "done";
    });
    next.startWorker();
    await stage.pulse.pass(3 * LEASE_MS);
    await register();
    await stage.pulse.pass(600_000);
    const child = await inspect(next.engine, childId);
    expect({ status: child?.status, code: child?.lastFailure?.errorCode }).toEqual({ status: "completed" });
    const state = await stateOf(next.engine, { service: "O", key: "k" });
    expect(new TextDecoder().decode(state?.get("count"))).toBe("5");
  },
);

test("a caller whose child has no deployment can be killed, and its child is killed with it", async () => {
  const { stage, next, childId, parentId, register } = await playWithoutService(
    async (ctx) => await ctx.get(ctx.call("add", "5", { service: "O", key: "k" })),
  );
  next.startWorker();
  expect(await stage.pulse.within(10_000, kill(next.engine, parentId))).toBe("done");
  await stage.pulse.pass(3 * LEASE_MS);
  expect((await inspect(next.engine, parentId))?.status).toBe("completed");
  await register();
  await stage.pulse.pass(600_000);
  expect((await inspect(next.engine, childId))?.outcome).toBe("killed");
  expect(stage.deployment.of("add")).toHaveLength(0);
});
