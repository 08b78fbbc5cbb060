/** What a door must do, as complaints about one that does not: for the door itself, and for doors with planted mistakes. */
import type { Door, Knock } from "../../../functions/door/door.ts";
import type { Ends } from "../../../functions/door/peer-user.ts";
import { PAGE_REQUESTS } from "../../harness/browser/page-requests.ts";

export const TOKEN = "the-token-of-this-door-of-32-letters";
const HOST = { host: "127.0.0.1:9070" };
const GOOD = { authorization: `Bearer ${TOKEN}` };

function knock(headers: Readonly<Record<string, string>>, path = "/deployments", query = "", method = "GET"): Knock {
  return { method, path, query, headers: { ...HOST, ...headers } };
}

/** The port of the client stands for its user, whom the door knows then. */
export const USERS: Readonly<Record<number, number>> = { 50_000: 1_000, 50_001: 1_001, 50_002: 0 };
const endsOf = (remotePort: number): Ends => ({ remoteAddress: "127.0.0.1", remotePort, localPort: 9070 });
const OPERATOR = endsOf(50_000);
const [STRANGER, SUPERUSER, UNKNOWN] = [endsOf(50_001), endsOf(50_002), endsOf(50_003)];

const textOf = (answer: ReturnType<Door>): string => new TextDecoder().decode(answer?.body);

function codeOf(door: Door): string {
  return (JSON.parse(textOf(door(knock(GOOD, "/-/sign-in-codes", "", "POST"), OPERATOR))) as { code: string }).code;
}

function signedIn(door: Door) {
  const code = codeOf(door);
  const enter = () => door(knock({}, "/-/sign-in", `code=${code}`), OPERATOR);
  const page = enter();
  const [, key = ""] = /#key=([\w-]{43})/.exec(textOf(page)) ?? [];
  return { cookie: page?.headers["set-cookie"]?.split(";", 1)[0] ?? "", key, again: enter()?.status };
}

/** @param make makes a door with `TOKEN` and `USERS`, at which nothing is open @param later moves its clock by a number of days */
export function complaintsAbout(make: () => Door, later: (days: number) => void): readonly string[] {
  const complaints: string[] = [];
  const door = make();
  const notice = (what: string, given: number | undefined, status: number | undefined): void => {
    if (given !== status) complaints.push(`${what}: ${given ?? "passes"} in place of ${status ?? "passing"}`);
  };
  const expect = (what: string, headers: Readonly<Record<string, string>>, status: number | undefined): void =>
    notice(what, door(knock(headers), OPERATOR)?.status, status);
  expect("the token", GOOD, undefined);
  expect("no token", {}, 401);
  for (const other of [`${TOKEN}x`, TOKEN.slice(1), "x".repeat(TOKEN.length), TOKEN.toUpperCase()])
    expect("another token", { authorization: `Bearer ${other}` }, 401);
  for (const { what, headers } of PAGE_REQUESTS) expect(`${what} with the token`, { ...headers, ...GOOD }, 403);
  const { cookie, key, again } = signedIn(door);
  const page = { cookie, "x-stepwell-page-key": key };
  expect("the session of a page", { ...page, "sec-fetch-site": "same-origin" }, undefined);
  const [name = ""] = cookie.split("=", 1);
  expect("the session behind a cookie of another port", { ...page, cookie: `${name}=planted; ${cookie}` }, undefined);
  for (const { what, headers } of PAGE_REQUESTS) expect(`${what} with the session`, { ...headers, ...page }, 403);
  expect("the cookie alone", { cookie, "sec-fetch-site": "same-origin" }, 401);
  expect("the key alone", { "x-stepwell-page-key": key }, 401);
  expect("the key of another session", { cookie, "x-stepwell-page-key": signedIn(door).key }, 401);
  notice("a code that is used twice", again, 403);
  const next = make();
  notice("a session at the next process", next(knock(page), OPERATOR)?.status, 401);
  for (const [what, ends, status] of [
    ["the user who asked for it", OPERATOR, 200],
    ["another user", STRANGER, 403],
    ["the superuser", SUPERUSER, 200],
    ["another machine", UNKNOWN, 200],
  ] as const)
    notice(`a code of ${what}`, door(knock({}, "/-/sign-in", `code=${codeOf(door)}`), ends)?.status, status);
  const other = signedIn(door);
  const out = (headers: Readonly<Record<string, string>>) => door(knock(headers, "/-/session", "", "DELETE"), OPERATOR);
  for (const { what, headers } of PAGE_REQUESTS)
    notice(`a sign-out by ${what}`, out({ ...headers, ...page })?.status, 403);
  notice("a sign-out without the key", out({ cookie })?.status, 401);
  notice("a sign-out", out(page)?.status, 204);
  expect("a session after its sign-out", page, 401);
  const rest = { cookie: other.cookie, "x-stepwell-page-key": other.key };
  expect("another session after a sign-out", rest, undefined);
  later(8);
  expect("a session after its end", rest, 401);
  return complaints;
}
