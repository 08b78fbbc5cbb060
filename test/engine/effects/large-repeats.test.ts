/** A large result that is delivered again, as a redo delivers it. */
import { expect, test } from "vitest";
import { currentLife, deliverResult } from "../../../shared/engine/messaging/deliver.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

/** @returns a list to which each later put adds its sort key, if the key matches `form` */
function putsOf({ process }: Actor, form: RegExp): string[] {
  const found: string[] = [];
  process.before = ({ port, method, args }) => {
    const { sk = "" } = args[0] as { sk?: string };
    if (port === "table" && method === "put" && form.test(sk)) found.push(sk);
    return undefined;
  };
  return found;
}

test("a large result that is delivered again is not written again, and a purge leaves none of its pieces", async () => {
  const stage = await open({ waits: async (ctx) => await ctx.get(ctx.awakeable().result) });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId: id } = await sendOn(actor, "waits");
  await stage.pulse.pass(100);
  const to = (await currentLife(actor.engine, id))!;
  const pieces = putsOf(actor, /^blob#/);
  const result = { kind: "success" as const, value: new Uint8Array(1_000_000) };
  for (let times = 0; times < 3; times++) await deliverResult(actor.engine, to, 99, result);
  expect(pieces).toHaveLength(4);
  await stage.pulse.within(1_000, kill(actor.engine, id));
  expect(await stage.pulse.within(1_000, purge(actor.engine, id))).toBe("done");
  const { items } = await stage.stores.table.query(`inv#${id}`);
  expect(items.map(({ sk }) => sk.split("#")[0])).not.toContain("blob");
});
