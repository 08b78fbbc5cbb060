/** The output of `stepwell rules` for people, scripts and programs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RuleBody, RulesBody, RuleTrialsBody } from "../../../shared/api/contract/limits.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { SEEN_WITHIN_MS } from "../../patience.ts";

const release: (() => void)[] = [];
const mail = service({
  name: "Mail",
  handlers: {
    send: async (_ctx: Context) => "sent",
    hold: async (_ctx: Context) => await new Promise<void>((resolve) => release.push(resolve)),
  },
});

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  [command, stage] = await Promise.all([
    buildCommand(),
    openLocalStage({ services: [mail], flags: { "log.level": "silent" } }),
  ]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

const run = (...args: readonly string[]) => command.run(args, { env });
const json = async <Body>(...args: readonly string[]): Promise<Body> =>
  JSON.parse((await run(...args, "--json")).stdout) as Body;

it("a rule is made, listed, changed, disabled, enabled and deleted", async () => {
  expect((await run("rules", "list")).stdout).toMatch(/^There is no rule\. Make one with `stepwell rules set`\.$/m);
  const made = await run("rules", "set", " acme / * ", "--concurrency", "5", "--description", "tenants");
  expect([made.code, made.stdout]).toEqual([0, "Made the rule acme/*: 5 at a time\n"]);
  const rated = await run("rule", "set", "acme/*", "--rate", "100/1m", "--burst", "9");
  expect(rated.stdout).toBe("Changed the rule acme/*: 5 at a time, 100/1m (9 at once)\n");
  expect((await run("rules", "set", "acme/*", "--rate", "10/s")).stdout).toContain("10/1s (10 at once)");
  expect((await run("rules", "ls")).stdout).toMatch(/^acme\/\* +5 +10\/1s +10 +\S+ +\S+ +yes +tenants$/m);
  expect((await run("rules", "set", "acme/*", "--unlimited", "--concurrency", "2")).stdout).toContain(
    ": 2 at a time\n",
  );
  expect((await run("rules", "disable", "acme/*")).stdout).toBe("Disabled the rule acme/*\n");
  expect((await run("rules", "disable", "acme/*")).code).toBe(0);
  const { rules } = await json<RulesBody>("rules", "list");
  expect(rules).toMatchObject([
    { pattern: "acme/*", limits: { concurrency: 2 }, description: "tenants", disabled: true },
  ]);
  expect(await json<RuleBody>("rules", "enable", "acme/*")).toMatchObject({ pattern: "acme/*", disabled: false });
  const unsure = await run("rules", "delete", "acme/*");
  expect([unsure.code, unsure.stdout]).toEqual([4, expect.stringMatching(/^Limits +2 at a time$/m)]);
  expect((await run("rules", "rm", "acme/*", "--yes")).stdout).toContain("Deleted the rule acme/*\n");
  expect((await json<RulesBody>("rules", "list")).rules).toEqual([]);
});

it("the list shows how many places are taken, and who waits", async () => {
  await run("rules", "set", "handler:Mail/hold", "--concurrency", "2");
  for (let at = 0; at < 5; at++) expect((await run("send", "Mail/hold")).code).toBe(0);
  const listed = async () => (await run("rules", "list")).stdout;
  await expect
    .poll(listed, { timeout: SEEN_WITHIN_MS })
    .toMatch(/^handler:Mail\/hold +2 +- +- +2 +3, oldest \ds +yes/m);
  const { rules } = await json<RulesBody>("rules", "list");
  expect(rules[0]?.use).toMatchObject({ pools: 1, taken: 2, waiting: 3 });
  await run("rules", "rm", "handler:Mail/hold", "--yes");
  await expect.poll(() => release.length, { timeout: SEEN_WITHIN_MS }).toBe(5);
  for (const end of release) end();
});

it("the rules of a file are made or replaced, all or none, and others stay", async () => {
  const file = join(stage.dataDir, "rules.json");
  const write = (...patterns: string[]) =>
    writeFileSync(
      file,
      JSON.stringify({ rules: patterns.map((pattern) => ({ pattern, limits: { concurrency: 3 } })) }),
    );
  await run("rules", "set", "kept", "--concurrency", "1");
  write("one", "two/*");
  expect((await run("rules", "apply", "-f", file)).stdout).toMatch(/^one +3 .*\ntwo\/\* +3 /m);
  write("three", "a b");
  const refused = await run("rules", "apply", "-f", file);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/1\.pattern: .*level 'a b'/)]);
  const { rules } = await json<RulesBody>("rules", "list");
  expect(rules.map(({ pattern }) => pattern)).toEqual(["kept", "one", "two/*"]);
  writeFileSync(file, "[]");
  const listless = await run("rules", "apply", "-f", file);
  expect([listless.code, listless.stderr]).toEqual([2, expect.stringMatching(/no list 'rules'.*Write \{"rules"/s)]);
});

it("a rule is tried on the invocations of the last hour", async () => {
  for (let at = 0; at < 3; at++) expect((await run("call", "Mail/send")).code).toBe(0);
  const told = await run("rules", "try", "handler:Mail/send", "--rate", "1/1h");
  expect(told.stdout).toMatch(
    /^The rule handler:Mail\/send \(1\/1h\) would have held back 2 of the 3 that it counts, among the 8 invocations of the last 1h; the longest wait is [\d.]+ s\.$/m,
  );
  await run("rules", "set", "handler:Mail/send", "--concurrency", "9");
  expect((await run("rules", "list", "--last-hour")).stdout).toMatch(/^handler:Mail\/send +9 +- +- +\S+ +\S+ +3 +yes/m);
  const body = await json<RuleTrialsBody>("rules", "try", "service:Other", "--concurrency", "1", "--over", "2h");
  expect(body).toMatchObject({ trials: [{ pattern: "service:Other", matched: 0 }], considered: 8, complete: true });
});

it.each<[string, readonly string[], number, RegExp]>([
  ["a pattern with a space", ["set", "a b"], 2, /level 'a b'.*1 to 36 letters/s],
  ["no places", ["set", "a", "--concurrency", "0"], 2, /whole number from 1 to 10000/],
  ["a rate without a duration", ["set", "a", "--rate", "100"], 2, /'100' is not '<count>\/<duration>'.*'100\/1m'/s],
  ["a burst without a rate", ["set", "a", "--burst", "3"], 2, /--burst needs a rate/],
  ["a rule that does not exist", ["enable", "nope"], 1, /There is no rule 'nope'.*rules list/s],
  ["a rule to delete that does not exist", ["delete", "nope", "--yes"], 1, /There is no rule 'nope'/],
  ["a trial without a limit", ["try", "a"], 2, /no limit.*--concurrency/s],
  [
    "a trial over two days",
    ["try", "a", "--concurrency", "1", "--over", "2d"],
    1,
    /'2d' is no duration from 1ms to 24h/,
  ],
])("%s is refused with its reason", async (_, args, code, reason) => {
  const told = await run("rules", ...args);
  expect([told.code, told.stderr]).toEqual([code, expect.stringMatching(reason)]);
});
