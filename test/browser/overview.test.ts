/**
 * Tests the overview in a browser: troubles that need an operator, counts with their links, the bars of the last hour, and the
 * states of the page.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStage } from "./stage.ts";

const stage = await openStage();

test("a server without a deployment shows the first steps", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("");
  await page.getByRole("heading", { name: "No deployment is registered yet" }).waitFor();
  await page.getByText(`curl ${stage.adminUrl}/deployments`).waitFor();
  await page.getByRole("link", { name: "register it here" }).click();
  await page.getByRole("dialog", { name: "Register a deployment" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  // The browser reports the closed dialog by an event that comes after the click.
  await expect.poll(() => page.url()).toMatch(/#\/deployments$/);
});

test("in a healthy environment the page says that nothing needs an operator, and when that was checked", async () => {
  await stage.register();
  const { page, goTo } = await stage.openTab();
  await goTo("");
  await page.getByText(/Nothing needs you, checked (now|\d+ s ago)/).waitFor();
});

test("each trouble has its reason, and a paused invocation is resumed in its row", async () => {
  const failing = await stage.send("/Greeter/stumble/send", null, "backing-off");
  const paused = await stage.send("/Greeter/stumble/send", null, "backing-off");
  await stage.ask("PATCH", `/invocations/${paused}/pause`);
  await stage.untilStatus(paused, "paused");
  const { page, goTo } = await stage.openTab();
  await goTo("");
  const rows = page.getByRole("region", { name: "Needs you" }).getByRole("listitem");
  await rows.nth(1).waitFor();
  expect(await rows.nth(0).innerText()).toMatch(/paused[\s\S]*Greeter\/stumble[\s\S]*Paused by an operator\./);
  expect(await rows.nth(1).innerText()).toMatch(
    /failing[\s\S]*Attempt \d failed, the next is in [^:]+: RT0007 never well/,
  );
  expect(await rows.nth(1).getByRole("link").getAttribute("href")).toBe(`#/invocations/${failing}`);
  const resume = rows.nth(0).getByRole("button", { name: "Resume Greeter/stumble" });
  await page.route(/\/resume$/, (route) => route.abort());
  await resume.click();
  await rows.nth(0).getByText("The server does not answer.").waitFor();
  await page.unroute(/\/resume$/);
  await resume.click();
  await stage.untilStatus(paused, "backing-off");
  await rows.filter({ hasText: "Paused by" }).waitFor({ state: "detached" });
});

test("counts are links to their lists", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("");
  const open = page.getByRole("region", { name: "Open now" });
  await open
    .getByRole("listitem")
    .filter({ hasText: /backing off\s*2/ })
    .waitFor();
  await open.getByRole("link", { name: "backing off" }).click();
  await page.getByRole("table", { name: "Invocations" }).getByText("Greeter/stumble").nth(1).waitFor();
  expect(page.url()).toContain("#/invocations?status=backing-off");
});

test("ended invocations are counted live, and a table shows the numbers of the bars", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("");
  const ended = page.getByRole("region", { name: "Ended in the last hour" });
  await ended.waitFor();
  for (const name of ["Ann", "Bob"]) await stage.call("/Greeter/greet", name);
  await stage.send("/Greeter/refuse/send", null, "completed");
  await ended
    .getByRole("listitem")
    .filter({ hasText: /failed\s*1/ })
    .waitFor();
  await ended
    .getByRole("listitem")
    .filter({ hasText: /succeeded\s*2/ })
    .waitFor();
  await page.getByRole("img", { name: "In the last hour 3 ended, of which 1 failed." }).waitFor();
  await page.getByText("As a table").click();
  await page.getByRole("columnheader", { name: "Failed" }).waitFor();
  expect(await page.getByRole("row").count()).toBeGreaterThan(1);
});

test("the page reports a failed load, and keeps the facts of an earlier answer", async () => {
  const { page, goTo } = await stage.openTab();
  await page.route(/internal\/overview$/, (route) =>
    route.fulfill({ status: 503, contentType: "application/json", body: '{"message":"the store is away"}' }),
  );
  await goTo("");
  await page.getByRole("alert").getByText("Status 503").waitFor();
  expect(await page.getByText("Nothing needs you").count()).toBe(0);
  await page.unroute(/internal\/overview$/);
  await goTo("");
  await page.getByRole("region", { name: "Open now" }).waitFor();
  await page.route(/internal\/overview$/, (route) => route.abort());
  await page.getByRole("alert").getByText("The facts below are those of an earlier answer.").waitFor();
  await page.getByRole("region", { name: "Open now" }).waitFor();
});

test("where reads have a price, the page counts the invocations that ended in the last hour only on demand", async () => {
  const { page, goTo } = await stage.openTab();
  const asked: string[] = [];
  await page.route(/\/version$/, (route) =>
    route.fulfill({ status: 200, contentType: "application/json", body: '{"runs_on":"functions","features":{}}' }),
  );
  const body = (await stage.ask("GET", "/internal/overview")) as Record<string, unknown>;
  await page.route(/internal\/overview$/, (route) => {
    const { ended: _, ...rest } = body;
    return route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify(rest) });
  });
  await page.route(/\/invocations\?/, (route) => {
    asked.push(route.request().url());
    return route.continue();
  });
  await goTo("");
  await page.getByText(/Each read has a price here.*\$0\.0004/).waitFor();
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Count the last hour" }).click();
  await page.getByRole("img", { name: /In the last hour 3 ended, of which 1 failed/ }).waitFor();
  expect(asked).toHaveLength(1);
});

test("a count that is under way ends when the reader leaves the page", async () => {
  const { page, goTo } = await stage.openTab();
  await page.route(/\/version$/, (route) =>
    route.fulfill({ status: 200, contentType: "application/json", body: '{"runs_on":"functions","features":{}}' }),
  );
  const { ended: _, ...body } = (await stage.ask("GET", "/internal/overview")) as Record<string, unknown>;
  await page.route(/internal\/overview$/, (route) =>
    route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify(body) }),
  );
  let asked = 0;
  await page.route(/\/invocations\?.*status=completed/, async (route) => {
    asked++;
    await sleep(50);
    const page = '{"invocations":[],"next":"more"}';
    await route.fulfill({ status: 200, contentType: "application/json", body: page }).catch(() => undefined);
  });
  await goTo("");
  await page.getByRole("button", { name: "Count the last hour" }).click();
  while (asked < 3) await sleep(10);
  await page.getByRole("link", { name: "Services", exact: true }).click();
  await page.getByRole("heading", { name: /^Services/ }).waitFor();
  const before = asked;
  await sleep(500);
  expect(asked).toBe(before);
});

test("invocations that are stuck by one cause are one row, and are resumed together after a question", async () => {
  const ids = [];
  for (let at = 0; at < 3; at++) {
    const id = await stage.send("/Greeter/stumble/send", null, "backing-off");
    await stage.ask("PATCH", `/invocations/${id}/pause`);
    await stage.untilStatus(id, "paused");
    ids.push(id);
  }
  const { page, goTo, axe } = await stage.openTab();
  await goTo("");
  const rows = page.getByRole("region", { name: "Needs you" }).getByRole("listitem");
  const group = rows.filter({ hasText: "3 × Greeter/stumble" });
  await group.waitFor();
  expect(await group.innerText()).toMatch(/paused[\s\S]*RT0007 never well/);
  await expect.poll(() => page.title()).toMatch(/^! \d need you · overview · Stepwell$/);
  expect(await axe()).toEqual([]);
  await group.getByRole("button", { name: "Resume 3 …" }).click();
  const dialog = page.getByRole("dialog", { name: "Resume invocations" });
  await dialog.getByText("3 invocations").waitFor();
  expect(page.url()).toMatch(/status=paused&service=Greeter&handler=stumble&cause=[0-9a-z]{12}/);
  await dialog.getByRole("button", { name: "Resume 3" }).click();
  for (const id of ids) await stage.untilStatus(id, "backing-off");
  for (const id of ids) await stage.ask("PATCH", `/invocations/${id}/kill`);
  for (const id of ids) await stage.untilStatus(id, "completed");
});
