/** Tests the pages of objects and workflows: state with its editor, the queue of a key, promises, and keys of any kind. */
import { beforeAll, expect, test } from "vitest";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const stage = await openStage();
const STRANGE_KEY = "a/b?c#d%2F\n\u202e<b>";

beforeAll(async () => {
  await stage.register();
  await stage.call("/Counter/a/add", 3);
  await stage.call("/Counter/a/put", { note: "x", list: [1, 2] });
  await stage.send("/Counter/held/hold/send", null, "suspended");
  for (const by of [1, 2]) await stage.send("/Counter/held/add/send", by, "pending");
  await stage.call(`/Counter/${encodeURIComponent(STRANGE_KEY)}/add`, 5);
  const signup = await stage.send("/Signup/ann/run/send", "ann@example.com", "suspended");
  await stage.call("/Signup/ann/verify", "1234");
  await stage.untilStatus(signup, "completed");
});

const stateOf = async (key: string) =>
  (await stage.ask("GET", `/services/Counter/state?object_key=${encodeURIComponent(key)}`)).state;

async function edit(page: Page, name: string, text: string): Promise<void> {
  await page.locator("summary").filter({ hasText: name }).click();
  await page.getByRole("button", { name: "Edit …" }).click();
  await page.getByRole("dialog").locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

test("a value is edited, added and removed, and each change shows", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("objects/Counter/a");
  await edit(page, "count", "41");
  expect(await axe()).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The state is as you wanted it").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  expect((await stateOf("a")).count.utf8).toBe("41");
  await page.getByRole("button", { name: "Add a value …" }).click();
  await page.getByLabel("Name").fill("raw");
  await page.getByLabel("bytes, hexadecimal").check();
  await page.getByRole("dialog").locator(".cm-content").click();
  await page.keyboard.type("ff 00");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The state is as you wanted it").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  expect((await stateOf("a")).raw.bytes).toEqual([255, 0]);
  await page.locator("summary").filter({ hasText: "raw" }).click();
  await page.locator("details.value").filter({ hasText: "raw" }).getByRole("button", { name: "Remove …" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("status").getByText("The state is as you wanted it").waitFor();
  expect(Object.keys(await stateOf("a")).toSorted()).toEqual(["count", "list", "note"]);
});

test("a state that changed under the editor is shown beside the reader's value, and the reader chooses", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("objects/Counter/a");
  const before = Number((await stateOf("a")).count.utf8);
  await edit(page, "count", "100");
  await stage.call("/Counter/a/add", 1);
  await page.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("alert");
  await conflict.getByText("The state has changed since you opened it").waitFor();
  await conflict.getByText(String(before + 1), { exact: true }).waitFor();
  expect(await axe()).toEqual([]);
  expect((await stateOf("a")).count.utf8).toBe(String(before + 1));
  await page.getByRole("button", { name: "Make my change all the same" }).click();
  await page.getByRole("status").getByText("The state is as you wanted it").waitFor();
  expect((await stateOf("a")).count.utf8).toBe("100");
});

test("the queue of a key begins with its holder, and names the place of each waiting invocation", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("objects/Counter/held");
  await page.getByRole("row", { name: /^holder hold/ }).waitFor();
  await page.getByRole("row", { name: /^1 add/ }).waitFor();
  await page.getByRole("row", { name: /^2 add/ }).waitFor();
});

test("a completed promise of a workflow shows its value", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("objects/Signup/ann");
  await page.getByRole("row", { name: /verified ✓ resolved/ }).waitFor();
  await page.getByText('"1234"').waitFor();
  expect(await axe()).toEqual([]);
});

test("keys of open invocations are listed, and any key can be opened", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("objects/Counter");
  await page.getByRole("link", { name: "held" }).waitFor();
  await page.getByRole("textbox", { name: "Key" }).fill("a");
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator("summary").filter({ hasText: "count" }).waitFor();
});

test.each([
  ["with slashes, line breaks and markup", STRANGE_KEY, "1 value"],
  ["of 64 KB", "k".repeat(65_000), "0 values"],
  ["that is empty", "", "0 values"],
])("a key %s has its page", async (_, key, words) => {
  const { page, goTo } = await stage.openTab();
  await goTo(`objects/Counter/${encodeURIComponent(key)}`);
  await page.getByRole("heading", { name: new RegExp(`State.*${words}`) }).waitFor();
  await page.getByText("The key is free").waitFor();
});

test("an edit whose result cannot be read is named as accepted", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("objects/Counter/a");
  await edit(page, "count", "7");
  await page.getByRole("dialog").getByText("7", { exact: true }).waitFor();
  await page.route(/\/state\?/, (route) => route.abort());
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The change is accepted. The state could not be read since").waitFor();
  expect((await stateOf("a")).count.utf8).toBe("7");
});

test("a value that is expanded on the page of a large state shows the reader's edit after the save", async () => {
  await stage.call("/Counter/large/put", { large: "x".repeat(1_100_000), small: 1 });
  const { page, goTo } = await stage.openTab();
  await goTo("objects/Counter/large");
  const value = page.locator("details.value").filter({ hasText: "small" });
  await edit(page, "small", "2");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("The state is as you wanted it").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await value.getByLabel("Payload").getByText("2", { exact: true }).waitFor();
});
