/** Tests how the addresses of the web UI's pages are read and written. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hrefTo, PAGES, parseRoute } from "../../../ui/model/route.ts";

test("an empty address is the overview, and the address of an unknown page has no route", () => {
  expect(parseRoute("")?.page).toBe("overview");
  expect(parseRoute("#/")?.page).toBe("overview");
  expect(parseRoute("#/nothing")).toBeUndefined();
});

test("a slash behind the name of a page names no subject, and an empty key does", () => {
  expect(parseRoute("#/deployments/")?.rest).toEqual([]);
  expect(parseRoute("#/objects/Cart/")?.rest).toEqual(["Cart", ""]);
});

test("an address leaves out members of the query that have no value", () => {
  expect(hrefTo("invocations", [], { status: "paused", service: undefined, key: "" })).toBe(
    "#/invocations?status=paused",
  );
});

test("a percent sign that begins no escape is read as it is", () => {
  expect(parseRoute("#/objects/Cart/100%")?.rest).toEqual(["Cart", "100%"]);
});

test("parseRoute returns the segments and the query value that hrefTo put into an address", () => {
  const text = fc.string({ unit: "binary" }).filter((one) => !/\p{Surrogate}/u.test(one));
  fc.assert(
    fc.property(fc.constantFrom(...PAGES), fc.array(text), text, (page, rest, value) => {
      const route = parseRoute(hrefTo(page, rest, { value }));
      // One empty segment is the slash behind the name of the page.
      const read = rest.length === 1 && rest[0] === "" ? [] : rest;
      expect([route?.page, route?.rest, route?.query.get("value") ?? ""]).toEqual([page, read, value]);
    }),
  );
});
