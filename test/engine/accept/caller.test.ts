/** The identity of the outside caller: handlers and their children get it only from the engine. */
import { expect, test } from "vitest";
import { CALLER_HEADER } from "../../../shared/core/model/caller.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inputEntry } from "../../../shared/engine/store/entries.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { callOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const ADA = "arn:aws:iam::111122223333:user/ada";
const FORGED = [
  { key: "X-Stepwell-Caller", value: "arn:aws:iam::111122223333:root" },
  { key: "x-any", value: "1" },
];

const said: Handler = (ctx) => JSON.stringify(ctx.journal.headers);
const handlers: Record<string, Handler> = {
  said,
  sent: said,
  asks: async (ctx) => {
    ctx.send("sent", "", { headers: FORGED });
    return await ctx.get(ctx.call("said", "", { headers: FORGED }));
  },
};

async function play() {
  const stage = await open(handlers);
  const actor = stage.actor();
  actor.startWorker();
  const call = async (handler: string, more: object) => {
    const ended = await stage.pulse.within(1_000, callOn(actor, handler, "", more));
    await stage.pulse.settle();
    return ended.invocationId;
  };
  const shownTo = (handler: string) => stage.deployment.of(handler).at(-1)?.headers;
  return { stage, actor, call, shownTo };
}

test("a handler gets the caller in a header that the submission cannot set", async () => {
  const { call, shownTo } = await play();
  await call("said", { headers: FORGED, createdBy: ADA });
  expect(shownTo("said")).toEqual({ "x-any": "1", [CALLER_HEADER]: ADA });
  await call("said", { headers: FORGED });
  expect(shownTo("said")).toEqual({ "x-any": "1" });
});

test("children of a handler get the caller of the handler, and not one that the handler sets", async () => {
  const { call, shownTo } = await play();
  await call("asks", { createdBy: ADA });
  expect(shownTo("said")).toEqual({ "x-any": "1", [CALLER_HEADER]: ADA });
  expect(shownTo("sent")).toEqual({ "x-any": "1", [CALLER_HEADER]: ADA });
  await call("asks", {});
  expect([shownTo("said"), shownTo("sent")]).toEqual([{ "x-any": "1" }, { "x-any": "1" }]);
});

test("operators see the caller, and a restarted invocation keeps it", async () => {
  const { stage, actor, call, shownTo } = await play();
  const id = await call("said", { createdBy: ADA });
  expect(await inspect(actor.engine, id)).toMatchObject({ createdBy: ADA });
  expect(await rowsOf(actor, `select created_by from sys_invocation where id = '${id}'`)).toEqual([
    { created_by: ADA },
  ]);
  const anew = await restart(actor.engine, id, 0, { kind: "latest" });
  await stage.pulse.settle();
  expect(anew).toMatchObject({ kind: "restarted" });
  expect(shownTo("said")).toEqual({ [CALLER_HEADER]: ADA });
});

test("an invocation without a caller shows no caller, for example an invocation that is older than the field", async () => {
  const { actor, call } = await play();
  const id = await call("said", {});
  expect(await inspect(actor.engine, id)).not.toHaveProperty("createdBy");
  const acceptance = (await load(actor.engine, id))!.invocation.acceptance;
  expect(inputEntry({ ...acceptance, headers: FORGED })).toEqual(inputEntry({ ...acceptance, headers: [FORGED[1]!] }));
});

test("a purge removes the caller, even from a child whose acceptance remains", async () => {
  const { actor, call, stage } = await play();
  await call("asks", { createdBy: ADA });
  const child = stage.deployment.of("said")[0]!.start.debugId as InvocationId;
  expect((await load(actor.engine, child))?.invocation.acceptance.createdBy).toBe(ADA);
  expect(await purge(actor.engine, child)).toBe("done");
  const left = await load(actor.engine, child);
  expect(left?.invocation.phase.status).toBe("completed");
  expect(left?.invocation.acceptance.createdBy).toBeUndefined();
});
