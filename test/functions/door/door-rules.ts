/** What a door must do, as complaints about one that does not: for the door itself, and for doors with planted mistakes. */
import type { Door, Knock } from "../../../functions/door/door.ts";
import { PAGE_REQUESTS } from "../../harness/browser/page-requests.ts";

export const TOKEN = "the-token-of-this-door-of-32-letters";
const HOST = { host: "127.0.0.1:9070" };
const GOOD = { authorization: `Bearer ${TOKEN}` };

function knock(headers: Readonly<Record<string, string>>, path = "/deployments", query = "", method = "GET"): Knock {
  return { method, path, query, headers: { ...HOST, ...headers } };
}

const textOf = (answer: ReturnType<Door>): string => new TextDecoder().decode(answer?.body);

function signedIn(door: Door) {
  const { code } = JSON.parse(textOf(door(knock(GOOD, "/-/sign-in-codes", "", "POST")))) as { code: string };
  const enter = () => door(knock({}, "/-/sign-in", `code=${code}`));
  const page = enter();
  const [, key = ""] = /#key=([\w-]{43})/.exec(textOf(page)) ?? [];
  return { cookie: page?.headers["set-cookie"]?.split(";", 1)[0] ?? "", key, again: enter()?.status };
}

/** @param door made with `TOKEN`; nothing is open @param later moves the door's clock by a number of days */
export function complaintsAbout(door: Door, later: (days: number) => void): readonly string[] {
  const complaints: string[] = [];
  const expect = (what: string, headers: Readonly<Record<string, string>>, status: number | undefined): void => {
    const given = door(knock(headers))?.status;
    if (given !== status) complaints.push(`${what}: ${given ?? "passes"} in place of ${status ?? "passing"}`);
  };
  expect("the token", GOOD, undefined);
  expect("no token", {}, 401);
  for (const other of [`${TOKEN}x`, TOKEN.slice(1), "x".repeat(TOKEN.length), TOKEN.toUpperCase()])
    expect("another token", { authorization: `Bearer ${other}` }, 401);
  for (const { what, headers } of PAGE_REQUESTS) expect(`${what} with the token`, { ...headers, ...GOOD }, 403);
  const { cookie, key, again } = signedIn(door);
  const page = { cookie, "x-stepwell-page-key": key };
  expect("the session of a page", { ...page, "sec-fetch-site": "same-origin" }, undefined);
  for (const { what, headers } of PAGE_REQUESTS) expect(`${what} with the session`, { ...headers, ...page }, 403);
  expect("the cookie alone", { cookie, "sec-fetch-site": "same-origin" }, 401);
  expect("the key alone", { "x-stepwell-page-key": key }, 401);
  expect("the key of another session", { cookie, "x-stepwell-page-key": signedIn(door).key }, 401);
  if (again !== 403) complaints.push(`a code works twice: ${again}`);
  later(8);
  expect("a session after its end", page, 401);
  return complaints;
}
