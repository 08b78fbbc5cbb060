/** Mistakes in changes of the rules of flow control: the rules of a request change together, and only as its preconditions allow. */
import { vi } from "vitest";
import type * as Items from "../../../shared/engine/register/registry-items.ts";
import { applyRules, listRules } from "../../../shared/engine/register/rules.ts";
import { stages } from "../../harness/engine/stages.ts";
import { ruleTests } from "./rule-tests.ts";

const planted = vi.hoisted(() => ({ now: "" }));
const ONE_BY_ONE = "rules of a request that are written one by one";
const UNSEEN = "a change of rules that is repeated without another look at them";

vi.mock("../../../shared/engine/register/registry-items.ts", async (original) => {
  const right = await original<typeof Items>();
  const { acting } = await import("../acts.ts");
  const changeRules: typeof right.changeRules = async (meta, keyPrefix, writes, version) => {
    while (planted.now === UNSEEN) {
      const { version: now } = await right.readHead(meta, keyPrefix);
      if (await right.changeRules(meta, keyPrefix, writes, acting(now))) return true;
    }
    if (planted.now !== ONE_BY_ONE) return await right.changeRules(meta, keyPrefix, writes, version);
    for (const [at, rule] of writes.rules.entries())
      await right.changeRules(meta, keyPrefix, acting({ rules: [rule], patterns: [] }), version + at);
    return true;
  };
  return { ...right, changeRules };
});

const open = stages();

/** Two operators make the same rule at a time, and the store fails after the first write of a request for two rules. */
async function complaints(): Promise<readonly string[]> {
  const stage = await open({});
  const engines = [stage.actor().engine, stage.actor().engine];
  const wanted = [{ pattern: "acme", limits: { concurrency: 1 }, precondition: { type: "does_not_exist" } as const }];
  const changes = await Promise.all(engines.map((engine) => applyRules(engine, wanted)));
  const made = changes.filter(({ kind }) => kind === "changed").length;
  const wrong = made === 1 ? [] : [`${made} of two operators have made the same rule`];

  const { meta, ...rest } = engines[0]!;
  let writes = 0;
  const failing: typeof meta = Object.create(meta, {
    transact: {
      value: (all: Parameters<typeof meta.transact>[0]) => {
        if (++writes > 1) throw new Error("the store is gone");
        return meta.transact(all);
      },
    },
  });
  const two = ["one", "two"].map((pattern) => ({ pattern, limits: {} }));
  await applyRules({ ...rest, meta: failing }, two).catch(() => undefined);
  const stored = (await listRules(engines[1]!)).filter(({ pattern }) => pattern !== "acme").length;
  if (stored === 1) wrong.push("one of two rules is stored");
  return wrong;
}

ruleTests(import.meta.filename, planted, [ONE_BY_ONE, UNSEEN], complaints);
