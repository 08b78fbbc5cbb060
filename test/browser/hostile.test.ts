/** Hostile texts in payloads, keys, names, failures and metadata stay texts on every page of the web UI. */
import {
  object,
  service,
  TerminalError,
  workflow,
  type Context,
  type ObjectContext,
  type WorkflowContext,
} from "@restatedev/restate-sdk";
import "../../examples/polyfill.mjs";
import { beforeAll, expect, test } from "vitest";
import { FORBIDDEN_IN_PAGE, HOSTILE_TEXTS } from "./hostile-texts.ts";
import { openStage } from "./stage.ts";

const hostile = service({
  name: "Hostile",
  description: HOSTILE_TEXTS[0]!,
  metadata: { note: HOSTILE_TEXTS[1]! },
  handlers: {
    speak: async (ctx: Context, text: string) => {
      await ctx.run(text.slice(0, 1_000) || "empty", () => text);
      return { [text.slice(0, 1_000)]: text };
    },
    fail: async (_ctx: Context, text: string) => {
      throw new TerminalError(text, { metadata: { note: text.slice(0, 1_000) } });
    },
    stumble: async (ctx: Context, text: string) => {
      await ctx.run(text.slice(0, 1_000), () => {
        throw new Error(text);
      });
    },
  },
});

const keyed = object({
  name: "Keyed",
  handlers: {
    keep: async (ctx: ObjectContext, texts: readonly string[]) => {
      for (const text of texts) ctx.set(text.slice(0, 1_000), text);
      return ctx.key;
    },
    hold: async (ctx: ObjectContext) => await ctx.sleep({ hours: 1 }),
  },
});

const flow = workflow({
  name: "Flow",
  handlers: {
    run: async (ctx: WorkflowContext, name: string) => await ctx.promise<string>(name.slice(0, 1_000)),
  },
});

const stage = await openStage([hostile, keyed, flow]);
const ids: string[] = [];
let deployment = "";
let subscription = "";

beforeAll(async () => {
  deployment = await stage.register();
  const at = (key: string) => encodeURIComponent(key.slice(0, 1_000));
  for (const text of HOSTILE_TEXTS) {
    ids.push(await stage.send("/Hostile/fail/send", text, "completed"));
    if (text.trim() === "") continue;
    const sends = [`/Keyed/${at(text)}/keep/send`, `/Keyed/${at(text)}/hold/send`, `/Flow/${at(text)}/run/send`];
    for (const path of sends) await stage.call(path, path.includes("/keep/") ? HOSTILE_TEXTS : text);
  }
  for (const text of HOSTILE_TEXTS.slice(0, 4)) {
    ids.push(await stage.send("/Hostile/speak/send", text, "completed"));
    const { invocationId } = await stage.call("/Hostile/stumble/send", text);
    ids.push(invocationId);
  }
  // The names of clusters and topics must follow rules. Properties and options may be any text, and so may the host in a broker's
  // address, which an error shows.
  const texts = Object.fromEntries(HOSTILE_TEXTS.map((text) => [`${text.slice(0, 1_000)} `, text.slice(0, 1_000)]));
  const properties = { ...texts, "bootstrap.servers": `${HOSTILE_TEXTS[0]}:1` };
  await stage.ask("POST", "/kafka-clusters", { name: "hostile", properties });
  const asked = { source: "kafka://hostile/t", sink: "service://Hostile/speak", options: texts };
  subscription = (await stage.ask("POST", "/subscriptions", asked)).id;
  const rules = HOSTILE_TEXTS.map((text, n) => ({ pattern: `tenant${n}`, description: text.slice(0, 1_000) }));
  await stage.ask("PUT", "/limits/rules", rules);
  ids.push(await stage.send(`/Keyed/${at(HOSTILE_TEXTS[0]!)}/keep/send`, [HOSTILE_TEXTS[0]], "pending"));
});

const key = (text: string): string => encodeURIComponent(text.slice(0, 1_000));
const statement = (sql: string): string => `sql?statement=${encodeURIComponent(sql)}&run=1`;

/** The routes of the pages, besides those of single invocations. */
const ROUTES: readonly (() => string)[] = [
  () => "overview",
  () => "invocations",
  () => `invocations?service=${key(HOSTILE_TEXTS[0]!)}`,
  () => "deployments",
  () => `deployments/${deployment}`,
  () => "services",
  () => "services/Hostile",
  () => "objects",
  () => "objects/Keyed",
  ...HOSTILE_TEXTS.slice(0, 18).map((text) => () => `objects/Keyed/${key(text)}`),
  () => `objects/Flow/${key(HOSTILE_TEXTS[0]!)}`,
  () => "call/Hostile/speak",
  () => "topics",
  () => "limits",
  () => `topics?open=${subscription}`,
  () => statement("select * from sys_invocation"),
  () => statement(`select '${HOSTILE_TEXTS[0]}' as "${HOSTILE_TEXTS[7]}"`),
  ...["deployments", "invocations", "services"].map((page) => () => `${page}/${key(HOSTILE_TEXTS[12]!)}`),
  ...HOSTILE_TEXTS.slice(0, 6).map((text) => () => `${key(text)}/${key(text)}?${key(text)}=${key(text)}`),
];

test("every page shows hostile texts as texts", async () => {
  const { page, goTo, atRest } = await stage.openTab();
  const seen: string[] = [];
  for (const route of [...ROUTES.map((one) => one()), ...ids.map((id) => `invocations/${id}`)]) {
    await goTo(route);
    await atRest();
    expect([route, await page.evaluate(FORBIDDEN_IN_PAGE)]).toEqual([route, []]);
    seen.push(await page.locator("body").innerText());
  }
  // The corpus is on the pages: otherwise the checks of the pages would prove nothing.
  for (const text of HOSTILE_TEXTS.slice(0, 6)) expect(seen.some((page) => page.includes(text))).toBe(true);
});
