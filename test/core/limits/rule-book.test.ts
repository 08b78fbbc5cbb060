/** The rule book: which patterns are patterns, and in which pools an invocation needs a place. */
import { describe, expect, test } from "vitest";
import { parsePattern } from "../../../shared/core/limits/pattern.ts";
import { type Rule } from "../../../shared/core/limits/rule.ts";
import { ruleBook, type Subject } from "../../../shared/core/limits/rule-book.ts";

const rule = (pattern: string, more: Partial<Rule> = {}): Rule => ({
  pattern,
  limits: { concurrency: 1 },
  disabled: false,
  version: 1,
  modifiedAtMs: 0,
  ...more,
});

const mail: Subject = { service: "Mail", handler: "send", scope: "acme", limitKey: "gold/eu" };

function poolsIn(patterns: readonly string[], subject: Subject): readonly string[] {
  return ruleBook(patterns.map((pattern) => rule(pattern)))
    .poolsOf(subject)
    .map(({ name, rule: { pattern } }) => `${name} by ${pattern}`);
}

describe("a pattern", () => {
  test.each([
    ["acme", { kind: "scope", names: ["acme"] }],
    ["*", { kind: "scope", names: ["*"] }],
    ["acme/*/eu", { kind: "scope", names: ["acme", "*", "eu"] }],
    ["service:Mail", { kind: "service", names: ["Mail"] }],
    ["service:*", { kind: "service", names: ["*"] }],
    ["handler:Mail/*", { kind: "handler", names: ["Mail", "*"] }],
    ["global:all", { kind: "global", names: [] }],
  ])("%s is understood", (text, pattern) => {
    expect(parsePattern(text)).toEqual(pattern);
  });

  test.each([
    ["", /has no text.*'acme'/],
    ["a/b/c/d", /has 4 levels.*at most 3.*'acme\/gold\/eu'/],
    ["acme//eu", /has an empty level.*'acme\/\*'/],
    ["ac*me", /has the level 'ac\*me'.*1 to 36/],
    ["a".repeat(37), /1 to 36 letters/],
    ["service:", /names no service.*'service:Mail'/],
    ["handler:Mail", /names no handler.*'handler:Mail\/send'/],
    ["tenant:acme", /begins with 'tenant:'/],
    ["a".repeat(601), /has 601 characters/],
  ])("'%s' is refused with a reason and an example", (text, reason) => {
    expect(parsePattern(text)).toMatch(reason);
  });
});

describe("the pools of an invocation", () => {
  test("go from the narrow to the wide", () => {
    const all = ["global:all", "service:Mail", "handler:Mail/send", "acme", "acme/gold", "acme/gold/eu"];
    expect(poolsIn(all, mail)).toEqual([
      "acme/gold/eu by acme/gold/eu",
      "acme/gold by acme/gold",
      "acme by acme",
      "handler:Mail/send by handler:Mail/send",
      "service:Mail by service:Mail",
      "global:all by global:all",
    ]);
  });

  test.each([
    [["*", "acme"], "acme by acme"],
    [["*"], "acme by *"],
    [["*/*", "*/gold"], "acme/gold by */gold"],
    [["*/gold", "acme/*"], "acme/gold by acme/*"],
    [["*/gold/eu", "acme/*/*"], "acme/gold/eu by acme/*/*"],
    [["acme/*/eu", "acme/gold/*"], "acme/gold/eu by acme/gold/*"],
    [["handler:*/send", "handler:Mail/*"], "handler:Mail/send by handler:Mail/*"],
  ])("have the most specific of the patterns %j", (patterns, pool) => {
    expect(poolsIn(patterns, mail)).toEqual([pool]);
  });

  test("without a limit key are those of the scope alone", () => {
    const { limitKey: _, ...unkeyed } = mail;
    expect(poolsIn(["*", "*/*", "*/*/*"], unkeyed)).toEqual(["acme by *"]);
  });

  test("without a scope are those of the handler, the service and everything", () => {
    expect(poolsIn(["*", "service:*", "global:all"], { service: "Mail", handler: "send" })).toEqual([
      "service:Mail by service:*",
      "global:all by global:all",
    ]);
  });

  test("leave out disabled rules", () => {
    const book = ruleBook([rule("acme", { disabled: true })]);
    expect(book.isEmpty).toBe(true);
    expect(book.poolsOf(mail)).toEqual([]);
  });

  test("let the keys below them take turns", () => {
    const book = ruleBook([rule("*"), rule("*/*"), rule("service:*")]);
    expect(book.poolsOf(mail).map(({ name, turnKey }) => [name, turnKey])).toEqual([
      ["acme/gold", "eu"],
      ["acme", "gold"],
      ["service:Mail", "acme"],
    ]);
  });

  test("find their rule by name", () => {
    const book = ruleBook([rule("*/*"), rule("global:all")]);
    expect(book.ruleOf("acme/gold")?.pattern).toBe("*/*");
    expect(book.ruleOf("global:all")?.pattern).toBe("global:all");
    expect(book.ruleOf("acme")).toBeUndefined();
  });
});
