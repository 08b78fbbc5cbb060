import { expect, test } from "vitest";
import { headerNames, hostNames } from "../../shared/config/name-list.ts";
import { readSettings } from "../../shared/config/settings.ts";

const { read, fallback } = headerNames("");

test.each<readonly [unknown, readonly string[]]>([
  ["Authorization, x-amz-*", ["authorization", "x-amz-*"]],
  [["Cookie"], ["cookie"]],
  ["none", []],
  ["", []],
  [[], []],
  [" , ,", []],
])("%j is the list %j", (raw, names) => expect(read(raw)).toEqual({ value: names }));

test.each([1, true, ["a", 1], "two words", "a:b", "x-*-y", "*"])("%j is no list of header names", (raw) =>
  expect(read(raw)).toBeUndefined(),
);

test.each<readonly [unknown, readonly string[] | undefined]>([
  ["Stepwell.Example.com, a.b", ["stepwell.example.com", "a.b"]],
  ["*", ["*"]],
  ["none", []],
  ["*.example.com", undefined],
  ["http://a.b", undefined],
  ["a.b:9070", undefined],
  ["a..b", undefined],
])("%j as names of hosts is %j", (raw, names) => expect(hostNames("").read(raw)?.value).toEqual(names));

test("the list of forwarded headers is empty by default, and is read from the file or the environment", () => {
  const file = { path: "stepwell.toml", text: '[ingress]\nforward-headers = ["cookie"]\n' };
  const variable = { STEPWELL_INGRESS__FORWARD_HEADERS: "authorization,cookie" };
  expect(fallback).toEqual([]);
  expect(readSettings({ file, environment: {}, flags: {} }).settings["ingress.forward-headers"]).toEqual(["cookie"]);
  expect(readSettings({ environment: variable, flags: {} }).settings["ingress.forward-headers"]).toEqual([
    "authorization",
    "cookie",
  ]);
});
