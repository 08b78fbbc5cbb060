/**
 * Tests the page that calls handlers: forms made from schemas, results, failures, sends, long calls, and the lines for curl and
 * the client.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import { beforeAll, expect, test } from "vitest";
import { SERVICES } from "../harness/browser/services.ts";
import { openStage } from "./stage.ts";
import type { Page } from "./tab.mjs";

const ORDER = {
  type: "object",
  required: ["customer", "items"],
  properties: {
    customer: { $ref: "#/$defs/Customer" },
    items: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["sku", "count"],
        properties: { sku: { type: "string" }, count: { type: "integer" } },
      },
    },
    priority: { enum: ["low", "high"], default: "low" },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    extra: {},
  },
  $defs: { Customer: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
};
const order = Object.assign(Object.create(restate.serde.json), { jsonSchema: ORDER }) as restate.Serde<unknown>;
const shop = restate.service({
  name: "Shop",
  handlers: {
    order: restate.handlers.handler({ input: order }, async (_ctx: restate.Context, given: unknown) => given),
    wait: async (ctx: restate.Context) => await ctx.sleep({ hours: 1 }),
  },
});

const stage = await openStage([...SERVICES, shop]);
beforeAll(() => stage.register());

test("a form follows the schema, the JSON follows the form, and the call returns what was written", async () => {
  const { page, goTo, axe } = await stage.openTab();
  await goTo("call/Shop/order");
  await page.getByLabel("customer name").fill("Ann <b>");
  await page.getByLabel("items 1 sku").fill("A1");
  await page.getByLabel("items 1 count").fill("12345678901234567890");
  await page.getByLabel("priority", { exact: true }).selectOption({ label: "high" });
  await page.getByRole("button", { name: "Set note" }).click();
  expect(await page.getByLabel("note is null").isChecked()).toBe(true);
  await page.getByRole("button", { name: "Add item to items" }).click();
  await page.getByRole("button", { name: "Remove item 2 of items" }).click();
  expect(await axe()).toEqual([]);
  const [request] = await Promise.all([
    new Promise<string | null>((resolve) => {
      void page.route(/\/call$/, (route) => {
        resolve(route.request().postData());
        return route.continue();
      });
    }),
    page.getByRole("button", { name: "Call", exact: true }).click(),
  ]);
  expect(request).toContain('"count": 12345678901234567890');
  expect(JSON.parse(request!)).toMatchObject({ customer: { name: "Ann <b>" }, priority: "high", note: null });
  await page.getByRole("status").getByText("200 Succeeded").waitFor();
  await page.getByRole("link", { name: /^inv_/ }).waitFor();
  expect(await axe()).toEqual([]);
});

test("advice names each mismatch between the value and the schema, and the call is still possible", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Shop/order");
  await page.getByRole("textbox", { name: "Payload as JSON" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText('{"items": []}');
  await page.getByRole("listitem").filter({ hasText: "customer is required" }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "has fewer than 1 items" }).waitFor();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("status").getByText("200 Succeeded").waitFor();
});

test("a reader who types before the editor is loaded goes on in the editor, at the same place", async () => {
  const { page, goTo } = await stage.openTab();
  let load = (): void => {};
  const mayLoad = new Promise<void>((resolve) => (load = resolve));
  await page.route(/chunk-/, async (route) => {
    const response = await route.fetch();
    if ((await response.text()).includes("cm-scroller")) await mayLoad;
    await route.fulfill({ response });
  });
  await goTo("call/Greeter/echo");
  const plain = page.locator("textarea[aria-label='Payload as JSON']");
  await plain.fill('["first", ""]');
  await plain.press("ArrowLeft");
  await plain.press("ArrowLeft");
  load();
  await plain.waitFor({ state: "detached" });
  await page.keyboard.insertText("second");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("status").getByText("200 Succeeded").waitFor();
  await page.getByText("second").last().waitFor();
  expect(await page.getByRole("textbox", { name: "Payload as JSON" }).innerText()).toContain('["first", "second"]');
});

test("the page distinguishes a failed handler from one that does not exist", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Greeter/refuse");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("status").getByText("409 The invocation failed").waitFor();
  await page.getByText("not today").first().waitFor();
  await page.route(/\/call$/, (route) =>
    route.fulfill({ status: 404, contentType: "application/json", body: '{"message":"no such service"}' }),
  );
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("status").getByText("404 The call was refused").waitFor();
});

test("a send with a key and a delay is accepted, and the lines for curl and for the TypeScript client make the same send", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Counter/add?key=a%2Fb");
  expect(await page.getByLabel("Key", { exact: true }).inputValue()).toBe("a/b");
  await page.getByLabel("Send, and wait for nothing").check();
  await page.getByLabel("Delay").fill("soon");
  await page.getByText("The delay is a duration").waitFor();
  await page.getByLabel("Delay").fill("1h");
  await page.getByRole("button", { name: "new" }).click();
  expect(await page.getByLabel("curl", { exact: true }).innerText()).toContain("/Counter/a%2Fb/add/send?delay=1h");
  expect(await page.getByLabel("TypeScript client", { exact: true }).innerText()).toContain(
    "objectSendClient<Counter>",
  );
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("status").getByText("202 Accepted").waitFor();
  const { invocations } = await stage.ask("GET", "/invocations?service=Counter&status=scheduled");
  expect(invocations[0].target_service_key).toBe("a/b");
});

test("a long call shows its invocation, which is cancelled from there", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Shop/wait");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("runs for").waitFor();
  await page.getByRole("link", { name: /^inv_/ }).waitFor();
  await page.getByRole("button", { name: /^Cancel inv_/ }).click();
  await page.getByRole("status").getByText("409 The invocation failed").waitFor();
});

test("once the reader has stopped waiting, the page says that the invocation goes on", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Shop/wait");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  // The page shows the link once the invocation is open, so a stop from then on cannot overtake the call.
  await page.getByRole("link", { name: /^inv_/ }).first().waitFor();
  await page.getByRole("button", { name: "Stop waiting" }).click();
  await page.getByRole("status").getByText("The invocation goes on").waitFor();
  await page.getByRole("link", { name: /^inv_/ }).first().waitFor();
});

/**
 * Calls a handler on its page by a request that never reaches the server, and stops waiting.
 * @param request matches the address of that request
 */
async function stoppedEarly(route: string, request: RegExp): Promise<Page> {
  const { page, goTo } = await stage.openTab();
  await page.route(request, () => {});
  await goTo(route);
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("button", { name: "Stop waiting" }).click();
  return page;
}

test("if the reader stops waiting before the call reaches the server, the page says that it found no invocation", async () => {
  const page = await stoppedEarly("call/Shop/order", /\/call$/);
  await page.getByRole("status").getByText("No open invocation of this call was found").waitFor();
  expect(await page.getByRole("link", { name: /^inv_/ }).count()).toBe(0);
});

test("while the page looks for the invocation of a call that it no longer waits for, it does not show the call as running", async () => {
  const page = await stoppedEarly("call/Shop/order", /\/call$/);
  const looking = page.getByRole("status").getByText("It looks for the invocation");
  await looking.waitFor();
  await page.route(/\/invocations\?/, () => {});
  await sleep(2_500);
  expect([await looking.count(), await page.getByRole("button", { name: "Stop waiting" }).count()]).toEqual([1, 0]);
});

test("if the invocation begins only after the reader stopped waiting, the page finds it", async () => {
  const page = await stoppedEarly("call/Counter/add?key=late", /\/call\?key=late$/);
  await page.getByRole("status").getByText("It looks for the invocation").waitFor();
  await stage.call("/Counter/late/add/send?delay=1h", 1);
  await page.getByRole("status").getByText("The invocation goes on").waitFor();
  await page.getByRole("link", { name: /^inv_/ }).first().waitFor();
});

test("the last payloads are offered in the tab, and are in no storage of the browser", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Greeter/echo");
  await page.getByRole("textbox", { name: "Payload as JSON" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText('"a secret"');
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("status").getByText("200 Succeeded").waitFor();
  await goTo("call/Greeter/greet");
  // The form of `echo` has the same field, and stays until the page has followed the address.
  await page.getByRole("link", { name: "Greeter/greet" }).waitFor();
  await page.getByLabel("Last payloads of this tab").selectOption("0");
  await page.getByRole("textbox", { name: "Payload as JSON" }).getByText("a secret").waitFor();
  const stored = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  expect(stored).not.toContain("a secret");
});

test("the page at an address with an unknown handler offers no call of another handler", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Shop/gone");
  await page.getByText("has no handler").waitFor();
  expect(await page.getByRole("button", { name: "Call", exact: true }).count()).toBe(0);
  await page.getByRole("combobox", { name: "Handler" }).selectOption({ label: "Shop/order" });
  await page.getByRole("button", { name: "Call", exact: true }).waitFor();
});

test("unfinished JSON in a field stays when the page reads the services again", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Shop/order");
  await page.getByRole("button", { name: "Set extra" }).click();
  const reads: string[] = [];
  await page.route(/\/services$/, async (route) => {
    await route.continue();
    reads.push(route.request().url());
  });
  const field = page.getByLabel("extra, as JSON");
  await field.fill('{"a": ');
  while (reads.length < 2) await sleep(50);
  expect(await field.inputValue()).toBe('{"a": ');
  await page.keyboard.type("1}");
  await field.press("Tab");
  await page.getByRole("textbox", { name: "Payload as JSON" }).getByText('"a"').waitFor();
});

test("if the input of the latest invocation cannot be read, the page reports that, and not a missing input", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Greeter/greet");
  await page.route(/\/invocations\?/, (route) => route.abort());
  await page.getByRole("button", { name: "input of the latest invocation" }).click();
  await page.getByText("not read: The server does not answer.").waitFor();
});

test("a cancel that failed can be tried again", async () => {
  const { page, goTo } = await stage.openTab();
  await goTo("call/Shop/wait");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const cancel = page.getByRole("button", { name: /^Cancel inv_/ }).first();
  await page.route(/\/cancel$/, (route) => route.abort());
  await cancel.click();
  await page.getByRole("status").getByText("not cancelled: The server does not answer.").waitFor();
  await page.unroute(/\/cancel$/);
  await cancel.click();
  await page.getByRole("status").getByText("409 The invocation failed").waitFor();
});

test("the input of the latest invocation is found behind empty pages of the list", async () => {
  await stage.call("/Greeter/greet", "Zoë");
  const { page, goTo } = await stage.openTab();
  const pages: string[] = [];
  const latest: unknown = await stage.ask("GET", "/invocations?service=Greeter&handler=greet&limit=5");
  // One request looks at a part of the index only, so the first pages may be empty.
  await page.route(/\/invocations\?/, async (route) => {
    const url = new URL(route.request().url());
    pages.push(url.searchParams.get("after") ?? "first");
    const found = pages.length <= 2 ? { invocations: [], next: `more-${pages.length}` } : latest;
    await route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify(found) });
  });
  await goTo("call/Greeter/greet");
  await page.getByRole("button", { name: "input of the latest invocation" }).click();
  await expect.poll(() => pages).toEqual(["first", "more-1", "more-2"]);
  await page.locator(".editor").first().getByText('"Zoë"').waitFor();
});
