/** The door of a listener that acts for an operator, and planted mistakes that its rules must notice. */
import { expect, test } from "vitest";
import { emptyResponse } from "../../../shared/api/http/message.ts";
import { doorOf, isFromOtherPage, type Door, type Knock } from "../../../functions/door/door.ts";
import type { Ends } from "../../../functions/door/peer-user.ts";
import { SignInCodes } from "../../../functions/door/sign-in.ts";
import { acting } from "../../planted/acts.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { complaintsAbout, TOKEN, USERS } from "./door-rules.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const FROM_MS = Date.UTC(2026, 10, 29);

function complaintsWith(sabotage: (door: Door, nowMs: () => number) => Door): readonly string[] {
  let nowMs = FROM_MS;
  const now = (): number => nowMs;
  const nothing = (): boolean => false;
  const userOf = ({ remotePort = 0 }: Ends): number | undefined => USERS[remotePort];
  const rules = { token: TOKEN, nowMs: now, isOpen: nothing, isPageFile: nothing, whereTokenIs: "here", userOf };
  return complaintsAbout(
    () => sabotage(doorOf(rules), now),
    (days) => void (nowMs += days * DAY_MS),
  );
}

const without = ({ headers, ...more }: Knock, name: string): Knock => ({
  ...more,
  headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
});

/** What the mistake of sessions that outlive their process remembers. */
const sessionsOfAll = new Map<string, string>();

/** Each answers in place of the door where the mistake makes a difference. */
const MISTAKES: readonly { readonly what: string; readonly sabotage: (door: Door, nowMs: () => number) => Door }[] = [
  {
    what: "a token that is not compared",
    sabotage: (door) => (knock, ends) =>
      knock.headers["authorization"]?.startsWith("Bearer ") === true && door(knock, ends)?.status === 401
        ? acting(undefined)
        : door(knock, ends),
  },
  {
    what: "a session that any page may use",
    sabotage: (door) => (knock, ends) =>
      isFromOtherPage(knock.headers)
        ? acting(door(without(without(knock, "sec-fetch-site"), "origin"), ends))
        : door(knock, ends),
  },
  {
    what: "a page that is known by its origin alone",
    sabotage: (door) => (knock, ends) =>
      "sec-fetch-site" in knock.headers ? acting(door(without(knock, "sec-fetch-site"), ends)) : door(knock, ends),
  },
  {
    what: "a cookie that needs no key",
    sabotage: (door) => (knock, ends) =>
      knock.headers["cookie"] !== undefined && door(knock, ends)?.status === 401
        ? acting(undefined)
        : door(knock, ends),
  },
  {
    what: "a session without an end",
    sabotage: (door) => {
      const seen = new Set<string>();
      return (knock, ends) => {
        const { cookie = "" } = knock.headers;
        const answer = door(knock, ends);
        if (answer === undefined) seen.add(cookie);
        return answer?.status === 401 && cookie !== "" && "x-stepwell-page-key" in knock.headers && seen.has(cookie)
          ? acting(undefined)
          : answer;
      };
    },
  },
  {
    what: "a session that follows from the token, so that the next process knows it",
    sabotage: (door) => (knock, ends) => {
      const answer = door(knock, ends);
      const { cookie = "", "x-stepwell-page-key": key = "" } = knock.headers;
      if (answer?.status === 401 && sessionsOfAll.get(cookie) === key && key !== "") return acting(undefined);
      const [, made] = /#key=([\w-]{43})/.exec(new TextDecoder().decode(answer?.body)) ?? [];
      if (made !== undefined) sessionsOfAll.set(answer?.headers["set-cookie"]?.split(";", 1)[0] ?? "", made);
      return answer;
    },
  },
  {
    what: "a sign-out that only empties the browser",
    sabotage: (door) => (knock, ends) =>
      knock.method === "DELETE" && knock.path === "/-/session" && door({ ...knock, method: "GET" }, ends) === undefined
        ? acting(emptyResponse(204))
        : door(knock, ends),
  },
  {
    what: "a code that works for every user of the machine",
    sabotage: (door) => (knock, ends) =>
      knock.path === "/-/sign-in" && USERS[ends.remotePort ?? 0] === 1_001
        ? acting(door(knock, {}))
        : door(knock, ends),
  },
  {
    what: "a code that works twice",
    sabotage: (door) => {
      let last: ReturnType<Door>;
      return (knock, ends) => {
        const answer = door(knock, ends);
        if (knock.path !== "/-/sign-in") return answer;
        if (answer?.status === 403) return acting(last);
        last = answer;
        return answer;
      };
    },
  },
];

test("the door keeps its rules", () => {
  expect(complaintsWith((door) => door)).toEqual([]);
});

plantedTests(import.meta.filename, MISTAKES, async ({ sabotage }) => {
  expect(complaintsWith(sabotage)).not.toEqual([]);
});

test("a code is valid for two minutes, and gives way to the twentieth after it", () => {
  const codes = new SignInCodes();
  const first = codes.make(FROM_MS);
  expect(codes.take(first, FROM_MS + 120_000)).toBeUndefined();
  const second = codes.make(FROM_MS);
  for (let more = 0; more < 20; more++) codes.make(FROM_MS);
  expect(codes.take(second, FROM_MS)).toBeUndefined();
});
