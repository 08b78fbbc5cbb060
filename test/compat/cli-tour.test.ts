/** Tests the unmodified command line of the reference against Stepwell's local process. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { openWorld, type World } from "./cli-world.ts";
import { TOUR_SERVICES } from "./tour-services.ts";

/** The tests are the steps of one tour; each step uses the results of the steps before it. */
let world: World;
let deploymentId: string;
const ids = { nap: "", stumble: "", hold: "", waits: "", call: "" };

beforeAll(async () => {
  world = await openWorld(TOUR_SERVICES);
});
afterAll(() => world.stop());

/**
 * Runs a command of the reference.
 * @returns the output of the command
 * @throws Error with this output if the command fails
 */
async function told(...args: string[]): Promise<string> {
  const { code, text } = await world.restate(...args);
  if (code !== 0) throw new Error(`restate ${args.join(" ")} ended with ${code}:\n${text}`);
  return text;
}

async function post(path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${world.ingressUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return await response.json();
}

async function send(path: string, body: unknown = null): Promise<string> {
  return ((await post(`${path}/send`, body)) as { invocationId: string }).invocationId;
}

/** Polls the status, because a send takes effect a moment later. */
async function untilStatus(id: string, status: string): Promise<void> {
  for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs;) {
    const [row] = await world.query(`select status from sys_invocation where id = '${id}'`);
    if (row?.["status"] === status) return;
    await sleep(50);
  }
  throw new Error(`${id} has not become ${status}`);
}

test("the handshake succeeds", async () => {
  const text = await told("whoami");
  expect(text).toContain("is healthy");
  expect(text).toContain(world.ingressUrl);
});

test("a deployment is registered, listed and described", async () => {
  const registered = await told("deployments", "register", world.deploymentUrl, "--use-http1.1", "--yes");
  expect(registered).toContain("SERVICES THAT WILL BE ADDED");
  expect(registered).toMatch(/Greeter +1/);
  const [row] = await world.query("select id from sys_deployment");
  deploymentId = String(row?.["id"]);
  const list = await told("deployments", "list", "--extra");
  expect(list).toMatch(new RegExp(`${world.deploymentUrl} +HTTP +Active +0 +${deploymentId}`));
  expect(list).toContain("- Counter [1]");
  expect(await told("deployments", "describe", deploymentId, "--extra")).toMatch(/Status: +Active/);
});

test("services are listed and described", async () => {
  expect(await told("services", "list")).toMatch(/Counter +1 +virtual object +HTTP/);
  const text = await told("services", "describe", "Greeter");
  expect(text).toMatch(/Protocol Style: +Request\/Response/);
  expect(text).toMatch(/greet +application\/json +application\/json/);
});

test("open invocations are listed with their status and the last failure, and counted by service", async () => {
  expect(await post("Greeter/call", null)).toBe("Hello caller");
  expect(await post("Counter/a/add", 3)).toBe(3);
  ids.nap = await send("Greeter/nap");
  ids.stumble = await send("Greeter/stumble");
  ids.hold = await send("Counter/b/hold");
  await untilStatus(ids.nap, "suspended");
  await untilStatus(ids.hold, "suspended");
  ids.waits = await send("Counter/b/add", 1);
  await untilStatus(ids.waits, "pending");
  await untilStatus(ids.stumble, "backing-off");

  const list = await told("invocations", "list");
  expect(list).toMatch(new RegExp(`${ids.waits}\\s+Target: +Counter/b/add\\s+Status: +pending`));
  expect(list).toMatch(new RegExp(`${ids.nap}\\s+Target: +Greeter/nap\\s+Status: +suspended`));
  expect(list).toMatch(/Status: +backing-off +\(.*Retried \d+ time/);
  expect(list).toContain("[500 Internal] never well");
  expect(list).toContain(`${deploymentId} [required]`);
  expect(list).toContain("Showing 4/4 invocations");

  // A driver that looks at an invocation in a queue has it for some milliseconds, in which it counts as running.
  await expect.poll(() => told("services", "status")).toMatch(/add +1 +-/);
  const status = await told("services", "status");
  expect(status).toContain("LOCKED-BY");
  expect(status).toMatch(new RegExp(`b +1 +${ids.hold} \\(suspended\\) +hold`));
  expect(await told("services", "status", "Counter")).toContain("Recent Invocations");
  expect(await told("deployments", "describe", deploymentId, "--extra")).toMatch(/Invocations: +2/);
});

test("the list of invocations takes filters and an order", async () => {
  expect(await told("invocations", "list", "--all")).toContain("Showing 7/7 invocations");
  const completed = await told("invocations", "list", "--status", "completed", "--limit", "1");
  expect(completed).toMatch(/Status: +completed with success/);
  expect(completed).toContain("Showing 1/3+ invocations");
  const oldest = await told("invocations", "list", "--service", "Counter", "--oldest-first");
  expect(oldest.indexOf(ids.hold)).toBeLessThan(oldest.indexOf(ids.waits));
  expect(await told("invocations", "list", "--virtual-objects-only")).toContain("Showing 2/2 invocations");
  expect(await told("invocations", "list", "--zombie")).not.toContain("inv_");
  expect(await told("invocations", "list", "--deployment", deploymentId)).toContain(ids.nap);
});

test("an invocation is described with its journal", async () => {
  const nap = await told("invocations", "describe", ids.nap);
  expect(nap).toMatch(/#0 \[.*\] Command: Input/);
  expect(nap).toMatch(/Command: Sleep until .* left\)/);
  expect(nap).toContain("└────>> suspended");
  const [row] = await world.query("select id from sys_invocation where target = 'Greeter/call'");
  ids.call = String(row?.["id"]);
  const call = await told("invocations", "describe", ids.call);
  expect(call).toMatch(/Command: Call +Greeter\/greet +inv_/);
  const [child] = await world.query(`select id from sys_invocation where invoked_by_id = '${ids.call}'`);
  expect(await told("invocations", "describe", String(child?.["id"]))).toContain("Greeter/call");
  const { code, text } = await world.restate("invocations", "describe", ids.nap.slice(0, -4) + "0000");
  expect(code).toBe(1);
  expect(text).toContain("not found");
});

test("invocations are paused, resumed, cancelled, killed and purged", async () => {
  expect(await told("invocations", "pause", ids.stumble, "--yes")).toContain("Paused 1 invocations");
  await untilStatus(ids.stumble, "paused");
  expect(await told("invocations", "resume", ids.stumble, "--yes")).toContain("Resumed 1 invocations");
  await untilStatus(ids.stumble, "backing-off");
  expect(await told("invocations", "cancel", ids.nap, "--yes")).toContain("Cancelled 1 invocations");
  await untilStatus(ids.nap, "completed");
  expect(await told("invocations", "describe", ids.nap)).toMatch(/completed with failure/);
  expect(await told("invocations", "kill", "Greeter/stumble", "--yes")).toContain("Killed 1 invocations");
  await untilStatus(ids.stumble, "completed");
  expect(await told("invocations", "purge", ids.stumble, "--yes")).toContain("Purged 1 invocations");
  expect((await world.restate("invocations", "describe", ids.stumble)).text).toContain("not found");
});

test("a completed invocation is restarted", async () => {
  const [greeting] = await world.query("select id from sys_invocation where target = 'Greeter/call'");
  const text = await told("invocations", "restart-as-new", String(greeting?.["id"]), "--yes");
  const [, anew = ""] = /(inv_\w+)(?![\s\S]*inv_)/.exec(text) ?? [];
  await untilStatus(anew, "completed");
  const [row] = await world.query(`select invoked_by, restarted_from from sys_invocation where id = '${anew}'`);
  expect(row).toEqual({ invoked_by: "restart_as_new", restarted_from: greeting?.["id"] });
});

test("the state of a key is shown, patched and cleared", async () => {
  expect(await told("kv", "get", "Counter", "a")).toMatch(/count +3/);
  const patch = JSON.stringify([{ op: "replace", path: "/count", value: 8 }]);
  await told("kv", "patch", "Counter", "a", "--patch", patch, "--yes");
  expect(await told("kv", "get", "Counter", "a")).toMatch(/count +8/);
  expect(await post("Counter/a/add", 1)).toBe(9);
  expect(await told("kv", "clear", "Counter/a", "--yes")).toMatch(/Counter\/a +\[count\]/);
  expect(await told("kv", "get", "Counter", "a")).not.toContain("count");
  await post("/Counter/c/add", 2);
  expect(await told("kv", "clear", "Counter", "--yes")).toMatch(/Counter\/c +\[count\]/);
  expect(await told("kv", "get", "Counter", "c")).not.toContain("count");
  expect(await post("Counter/a/add", 4)).toBe(4);
});

test("statements are answered as a table and as JSON", async () => {
  const table = await told(
    "sql",
    "select target, status, created_at from sys_invocation where id = '" + ids.call + "'",
  );
  expect(table).toMatch(/Greeter\/call +completed +\d{4}-\d\d-\d\dT/);
  expect(await told("sql", "--json", "select count(*) from sys_service")).toContain('[{"count(*)":2}]');
  const { code, text } = await world.restate("sql", "select nope from sys_service");
  expect(code).not.toBe(0);
  expect(text).toContain("nope");
});

test("rules are made, changed, listed and deleted", async () => {
  expect(await told("rules", "list")).toContain("No rules defined");
  const made = ["rules", "set", "acme/*", "--concurrency", "4", "--description", "for acme", "--yes"];
  expect(await told(...made)).toContain("Created rule 'acme/*'");
  expect(await told("rules", "set", "acme/*", "--concurrency", "5", "--yes")).toContain("Updated rule 'acme/*'");
  expect(await told("rules", "list", "--extra")).toMatch(/acme\/\* +5 +no +for acme/);
  expect(await told("rules", "disable", "acme/*", "--yes")).toContain("Rule 'acme/*' disabled");
  expect(await told("rules", "list")).toMatch(/acme\/\* +5 +yes/);
  expect(await told("rules", "enable", "acme/*", "--yes")).toContain("Rule 'acme/*' enabled");
  expect(await told("rules", "set", "acme/*", "--unlimited", "--yes")).toContain("Updated rule 'acme/*'");
  expect(await told("rules", "list")).toMatch(/acme\/\* +unlimited +no/);
  expect(await told("rules", "delete", "acme/*", "--yes")).toContain("Deleted rule 'acme/*'");
  expect(await told("rules", "list")).toContain("No rules defined");
});

test("open invocations are listed and described by their queues", async () => {
  const list = await told("vqueues", "list");
  expect(list).toMatch(/vq_1\w{33} +Counter +- +- +Counter\/b +false +1 +0 +1 +0 +0/);
  const [, id = ""] = /(vq_1\w{33}) +Counter/.exec(list) ?? [];
  expect(await told("vqueues", "describe", id)).toContain("Virtual Queue Information");
  expect((await world.restate("vqueues", "describe", id.replace(/.{4}$/, "0000"))).text).toContain("not found");
});

test("a deployment in use is removed only by force", async () => {
  expect((await world.restate("deployments", "remove", deploymentId, "--yes")).code).not.toBe(0);
  await told("deployments", "remove", deploymentId, "--yes", "--force");
  expect(await told("invocations", "list", "--zombie")).toContain(ids.hold);
});
