/**
 * Names and texts of megabytes from a handler: names above the limit are refused before they are stored; the text of a failure
 * is cut if the invocation goes on, and kept if the failure is its result.
 */
import { expect, test } from "vitest";
import { COMMANDS } from "../../shared/core/protocol/commands.ts";
import { messageFrame } from "../../shared/core/protocol/frame.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { end, error, GREETER, output, replying, startFrameDeployment } from "../errors/frame-deployment.ts";
import { openStage } from "../errors/stage.ts";

const LONG = "x".repeat(2_000_000);
const LONGEST = "€".repeat(21_845);
const BYTES = new TextEncoder();
const OBJECT = { name: "Shelf", ty: "VIRTUAL_OBJECT", handlers: [{ name: "put" }] };
const WORKFLOW = { name: "Signup", ty: "WORKFLOW", handlers: [{ name: "run", ty: "WORKFLOW" }] };

const set = (key: string): Uint8Array =>
  messageFrame(COMMANDS.SetState.code, COMMANDS.SetState.type, {
    key: BYTES.encode(key),
    value: { content: BYTES.encode("v") },
  });
const clear = (key: string): Uint8Array =>
  messageFrame(COMMANDS.ClearState.code, COMMANDS.ClearState.type, { key: BYTES.encode(key) });
const send = (key: string): Uint8Array =>
  messageFrame(COMMANDS.OneWayCall.code, COMMANDS.OneWayCall.type, {
    serviceName: "Shelf",
    handlerName: "put",
    key,
    invocationIdNotificationIdx: 1,
  });
const peek = (key: string): Uint8Array =>
  messageFrame(COMMANDS.PeekPromise.code, COMMANDS.PeekPromise.type, { key, resultCompletionId: 1 });

test.each<[what: string, target: string, of: (name: string) => Uint8Array]>([
  ["sets state under", "Shelf/a/put", set],
  ["clears state under", "Shelf/a/put", clear],
  ["sends to an object by", "Greeter/greet", send],
  ["asks for a promise by", "Signup/w/run", peek],
])(
  "a handler that %s a name of megabytes fails, its failure states the limit, and the longest name is accepted",
  async (_what, target, of) => {
    const stage = await openStage();
    const deployment = await startFrameDeployment(replying(of(LONG), output("kept"), end()));
    deployment.manifest = manifestOf([GREETER, OBJECT, WORKFLOW]);
    await stage.register(deployment.uri);
    const id = await stage.send(target);
    expect((await stage.lastFailure(id, "RT0017")).message).toMatch(/has 2000000 bytes, and at most 65536 fit/);
    // With this script, the second attempt completes the invocation. A callee runs the same script.
    deployment.script = replying(of(LONGEST), output("kept"), end());
    expect(await stage.result(id)).toBe("200 kept");
    deployment.script = replying(output("next"), end());
    expect(await stage.result(await stage.send("Shelf/a/put"))).toBe("200 next");
    expect(stage.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  },
);

test("a failure of megabytes is cut to its beginning, and other invocations go on", async () => {
  const stage = await openStage({ "default-retry-policy.max-attempts": "1" });
  const deployment = await startFrameDeployment(replying(error(500, LONG)));
  await stage.register(deployment.uri);
  const id = await stage.send("Greeter/greet");
  expect((await stage.lastFailure(id, "RT0007")).message).toHaveLength(8192);
  deployment.script = replying(output("fine"), end());
  expect(await stage.result(await stage.send("Greeter/greet"))).toBe("200 fine");
});

test("a failure of megabytes that ends its invocation reaches the caller whole", async () => {
  const stage = await openStage({
    "default-retry-policy.max-attempts": "1",
    "default-retry-policy.on-max-attempts": "kill",
  });
  const deployment = await startFrameDeployment(replying(error(500, LONG)));
  await stage.register(deployment.uri);
  const told = await stage.result(await stage.send("Greeter/greet"));
  expect((JSON.parse(told.slice("500 ".length)) as { readonly message: string }).message).toBe(LONG);
});

test("an operator's names have the same bound", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment(replying(output("ok"), end()));
  deployment.manifest = manifestOf([OBJECT]);
  await stage.register(deployment.uri);
  const edit = async (object_key: string, name: string) =>
    (await stage.admin("POST", "services/Shelf/state", { object_key, new_state: { [name]: "v" } })).status;
  expect([await edit("a", LONG), await edit(LONG, "k"), await edit("a", LONGEST)]).toEqual([422, 422, 202]);
  expect(await stage.result(await stage.send("Shelf/a/put"))).toBe("200 ok");
});
