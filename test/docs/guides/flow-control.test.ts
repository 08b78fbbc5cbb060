/** The code and the commands of docs/flow-control.md do what the page says, on a local process with the SDK. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { archive, press, reports } from "../../../examples/guides/deadlines.ts";
import { fetch } from "../../harness/local/admin-access.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { textOf } from "../page-text.ts";
import { requestOptionsSection } from "../request-options-section.ts";

let stage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: [press, reports], flags: { "deadline-grace": "10s" } });
});
afterAll(() => stage.close());
beforeEach(() => void archive.released.splice(0));

const HOUR_MS = 3_600_000;

interface Answer {
  readonly status: number;
  readonly id: string | null;
  readonly body: unknown;
}

async function post(path: string, body: unknown, options: Readonly<Record<string, string>>): Promise<Answer> {
  const headers = { "content-type": "application/json", ...options };
  const answer = await fetch(`${stage.ingressUri}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, id: answer.headers.get("x-restate-id"), body: JSON.parse(await answer.text()) };
}

const within = (end: string) => ({ "x-stepwell-end-within": end });
const singleton = (more: Readonly<Record<string, string>> = {}) => ({ "x-stepwell-singleton": "july", ...more });

it("a handler that has not ended in time is cancelled, and its caller gets its failure", async () => {
  expect(await post("reports/build", HOUR_MS, within("300ms"))).toMatchObject({ status: 409 });
  expect(archive.released).toEqual(["room"]);
});

it("a call that inherits the deadline of its caller is cancelled with it", async () => {
  expect(await post("press/publish", HOUR_MS, within("300ms"))).toMatchObject({ status: 409 });
  await expect.poll(() => archive.released).toEqual(["room"]);
});

it("the defaults of a service are deadlines, too", async () => {
  const body = JSON.stringify({ end_within: "300ms" });
  const headers = { "content-type": "application/json" };
  const change = await fetch(`${stage.adminUri}/services/reports`, { method: "PATCH", headers, body });
  expect(await change.json()).toMatchObject({ end_within: "300ms", start_within: "0s" });
  expect(await post("reports/build", HOUR_MS, {})).toMatchObject({ status: 409 });
  const none = JSON.stringify({ end_within: "0s" });
  await fetch(`${stage.adminUri}/services/reports`, { method: "PATCH", headers, body: none });
});

it("the metadata of a handler states its deadlines", async () => {
  const handler = await (await fetch(`${stage.adminUri}/services/reports/handlers/index`)).json();
  expect(handler).toMatchObject({ end_within: "1m" });
});

it("a duplicate attaches, is refused, or replaces", async () => {
  const first = await post("reports/build/send", HOUR_MS, singleton());
  const second = await post("reports/build/send", HOUR_MS, singleton());
  expect(second).toMatchObject({ id: first.id, body: { status: "PreviouslyAccepted" } });
  const refused = await post("reports/build", 1, singleton({ "x-stepwell-on-duplicate": "refuse" }));
  expect(refused).toMatchObject({ status: 409, id: first.id, body: { message: expect.stringContaining("RT0912") } });
  const replacing = await post("reports/build", 1, singleton({ "x-stepwell-on-duplicate": "replace" }));
  expect([replacing.status, replacing.body]).toEqual([200, "built"]);
  await expect.poll(() => archive.released).toEqual(["room"]);
});

it("of debounced calls the last one runs", async () => {
  // The first two would wait for longer than this test, so they end only because a later one replaces them.
  const texts = [
    ["a", "1h"],
    ["ab", "1h"],
    ["abc", "300ms"],
  ] as const;
  const answers: Promise<Answer>[] = [];
  for (const [text, quiet] of texts) {
    answers.push(post("reports/index", text, { "x-stepwell-singleton": "index", "x-stepwell-debounce": quiet }));
    const order = `select count(*) as n from sys_invocation where singleton_key = 'index'`;
    await expect.poll(() => rows(order)).toEqual([{ n: answers.length }]);
  }
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([409, 409, 200]);
  expect((await answers[2])!.body).toBe("indexed abc");
});

async function rows(query: string): Promise<unknown> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(`${stage.adminUri}/query`, { method: "POST", headers, body: JSON.stringify({ query }) });
  return ((await answer.json()) as { readonly rows: unknown }).rows;
}

it("the page has the table of the headers", () => {
  expect(textOf("docs/flow-control.md")).toContain(requestOptionsSection());
});
