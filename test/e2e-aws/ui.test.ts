/** The web UI on AWS, in a real browser, through the local port of `stepwell proxy`. */
import type { Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser, type Browser } from "../browser/tab.mjs";
import { signInUrl } from "../harness/local/admin-access.ts";
import { aws, ControlPlane, pause } from "./control-plane.ts";
import { operatorOf, type Operator } from "./operator.ts";
import { serveHandlers } from "./url-deployment.ts";
import { expectNone } from "../complaints.ts";

declare module "vitest" {
  export interface ProvidedContext {
    readonly chromiumPath: string;
  }
}

const plane = new ControlPlane(aws.plain);
let browser: Browser;
let operator: Operator;

const HANDLERS = {
  shout: async (ctx: Context, word: string) => await ctx.run("shouted", () => word.toUpperCase()),
};

beforeAll(async () => {
  const uri = await serveHandlers("shown", HANDLERS);
  await plane.register({ uri });
  [operator, browser] = await Promise.all([operatorOf(aws.plain), openBrowser(inject("chromiumPath"), signInUrl)]);
});

afterAll(async () => {
  await browser.close();
  await operator.close();
});

test("an operator calls a handler in the UI, and sees the invocation with its timeline", async () => {
  const { page, goTo, atRest, axe, complaints, close } = await browser.openTab(operator.url);
  await goTo("call/shown/shout");
  await atRest();
  const payload = page.getByRole("textbox", { name: /Payload/ }).first();
  // The editor is loaded late, and takes the place of what was typed before.
  for (let tries = 10; tries > 0 && !(await payload.innerText()).includes("hello"); tries--) {
    await payload.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('"hello"');
    await pause(500);
  }
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText('"HELLO"', { exact: true }).first().waitFor();
  await page.locator('a[href*="#/invocations/inv_"]').first().click();
  await page.getByText("shouted").first().waitFor();
  expect(await page.locator("h1").first().innerText()).toContain("shown/shout");
  expect(await axe()).toEqual([]);
  for (const route of ["overview", "invocations", "deployments", "services", "objects", "sql"]) {
    await goTo(route);
    await atRest();
    expect(await page.getByRole("alert").count()).toBe(0);
  }
  expectNone(complaints);
  await close();
});
