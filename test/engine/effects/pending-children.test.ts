/** If a process owns its store alone, the acceptance of a call that is driven along waits for the first segment of the call. */
import { expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { type Item, StoreError, type Write } from "../../../shared/engine/ports/table.ts";
import { type Actor, callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const WAIT_MS = 4;

/**
 * The writes of segments, in order. The text of an acceptance is its handler, and the text of any other segment is its number. A
 * plus joins the texts of one transaction.
 */
function writesOf({ process }: Actor): readonly string[] {
  const shown = (item: Item): string[] =>
    item.sk === "seg#000000"
      ? [String(item["handler"])]
      : item.sk.startsWith("seg#")
        ? [String(Number(item.sk.split("#")[2]))]
        : [];
  return process.calls.flatMap(({ port, method, args }) => {
    if (port !== "table" || (method !== "put" && method !== "transact")) return [];
    const items =
      method === "put"
        ? [args[0] as Item]
        : (args[0] as Write[]).flatMap((write) => (write.kind === "put" ? [write.item] : []));
    return items.flatMap(shown).join(" + ") || [];
  });
}

test("the acceptance and the first segment of a quick call take one write, as those of its caller do", async () => {
  const stage = await open(
    { parent: async (ctx) => await ctx.get(ctx.call("child", "x")), child: (ctx) => `got ${ctx.input}` },
    { acceptanceWaitMs: WAIT_MS },
  );
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(0, callOn(actor, "parent")))).toBe("got x");
  expect(writesOf(actor)).toEqual(["parent + 1", "child + 1", "2"]);
});

test("the acceptance of a slower call is durable before its caller writes again, and before the caller ends", async () => {
  const gate = new Gate();
  const stage = await open(
    {
      parent: async (ctx) => {
        ctx.call("child", "x");
        await ctx.get(ctx.run("one", () => "1"));
        return "done";
      },
      last: (ctx) => {
        ctx.call("child", "y");
        return "done";
      },
      child: async () => gate.passed.then(() => "late"),
    },
    { acceptanceWaitMs: 1_000 },
  );
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(0, callOn(actor, "parent")))).toBe("done");
  const [, first, second] = writesOf(actor);
  expect([first, second]).toEqual(["child", "2"]);
  const before = writesOf(actor).length;
  expect(textOf(await stage.pulse.within(0, callOn(actor, "last")))).toBe("done");
  expect(writesOf(actor).slice(before)).toEqual(["last + 1", "child"]);
  gate.open();
});

test("a kill of the caller ends a call whose acceptance still waits, and writes the acceptance before the end of the caller", async () => {
  const gate = new Gate();
  const stage = await open(
    {
      parent: async (ctx) => await ctx.get(ctx.call("child", "x")),
      child: async () => gate.passed.then(() => "late"),
    },
    { acceptanceWaitMs: 1_000 },
  );
  const actor = stage.actor({ soleOwner: true });
  const written: string[] = [];
  actor.process.before = async ({ method, args }) => {
    if (method !== "put") return;
    const { sk, handler } = args[0] as Item;
    // The acceptance of the call takes long.
    if (handler === "child") await stage.pulse.sleep(500);
    written.push(handler === "child" ? "the call" : sk.endsWith("#000002") ? "the end" : "");
  };
  actor.startWorker();
  void callOn(actor, "parent").catch(() => undefined);
  await stage.pulse.settle();
  const [parent, child] = ["parent", "child"].map((name) => stage.deployment.of(name)[0]!.start.debugId);
  await stage.pulse.within(5_000, kill(actor.engine, parent as Parameters<typeof kill>[1]));
  await stage.pulse.pass(5_000);
  for (const id of [parent, child])
    expect(await inspect(actor.engine, id as Parameters<typeof inspect>[1])).toMatchObject({ status: "completed" });
  expect(written.filter((one) => one !== "").slice(0, 2)).toEqual(["the call", "the end"]);
  gate.open();
});

test("if the acceptance of a call fails, its caller does not wait for the call, and makes it again", async () => {
  const stage = await open(
    { parent: async (ctx) => await ctx.get(ctx.call("child", "x")), child: (ctx) => `got ${ctx.input}` },
    { acceptanceWaitMs: WAIT_MS },
  );
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  let failures = 0;
  actor.process.before = ({ method, args }) => {
    if (method !== "transact" || failures > 0) return undefined;
    const isChild = (args[0] as Write[]).some((write) => write.kind === "put" && write.item["handler"] === "child");
    return isChild ? Promise.reject(new StoreError(`failure ${++failures}`)) : undefined;
  };
  const { invocationId } = await stage.pulse.within(1_000, sendOn(actor, "parent"));
  await stage.pulse.pass(3 * LEASE_MS);
  expect(failures).toBe(1);
  expect(await inspect(actor.engine, invocationId)).toMatchObject({ status: "completed" });
});
