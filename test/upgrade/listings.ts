/** Checks the lists of a fixture's invocations: page by page, by service, by handler, by status, and by a statement. */
import { expect } from "vitest";
import type { Account } from "./account.ts";
import { asked, JSON_BODY, type Site } from "./site.ts";
import { statesOf, statusWord } from "./states.ts";

/** An invocation in the admin API. */
export interface Shown {
  readonly id: string;
  readonly status: string;
  readonly target_service_name: string;
  readonly target_handler_name: string;
  readonly created_at: string;
}

const DAY_MS = 86_400_000;
/** Fewer than all rows, so that a list has several pages. */
const PAGE = 7;
const STATEMENT = "SELECT id, status, target_service_name, target_handler_name, created_at FROM sys_invocation";

/**
 * @param statuses the expected status for each state name
 * @param strangers the number of listed invocations outside `statuses`: children, and later calls
 */
export async function expectListed(
  site: Site,
  account: Account,
  statuses: Readonly<Record<string, string>>,
  strangers: number,
): Promise<void> {
  const named = (shown: readonly Shown[]) => statusesOf(account, shown);
  const all = await listed(site, "service=Drill,Tally,Flow");
  expect(named(all)).toEqual(statuses);
  expect(all).toHaveLength(Object.keys(statuses).length + strangers);
  for (const { created_at } of all) expect(Math.abs(Date.parse(created_at) - account.writtenAtMs)).toBeLessThan(DAY_MS);
  expect(await listed(site, "service=Nobody")).toEqual([]);
  const names = statesOf(account).filter(({ handler }) => handler === "nap");
  expect(named(await listed(site, "handler=nap"))).toEqual(
    part(statuses, (name) => names.some((s) => s.name === name)),
  );
  expect(named(await listed(site, "status=open"))).toEqual(part(statuses, (_, status) => status !== "completed"));

  const rows = await query(site, STATEMENT);
  expect(named(rows)).toEqual(statuses);
  expect(new Set(rows.map(inOneLine))).toEqual(new Set(all.map(inOneLine)));
}

/** All pages, in order. */
async function listed(site: Site, filter: string): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  for (let after = ""; ;) {
    const page = await asked(site, "admin", "GET", `/invocations?${filter}&limit=${PAGE}${after}`);
    const { invocations, next } = page as { invocations: Shown[]; next?: string };
    shown.push(...invocations);
    if (next === undefined) return shown;
    after = `&after=${next}`;
  }
}

async function query(site: Site, statement: string): Promise<readonly Shown[]> {
  const headers = { ...JSON_BODY, accept: "application/json" };
  const { status, text } = await site.request("admin", "POST", "/query", {
    headers,
    body: JSON.stringify({ query: statement }),
  });
  if (status !== 200) throw new Error(`the statement was answered ${status}: ${text}`);
  return (JSON.parse(text) as { rows: Shown[] }).rows;
}

/** The statuses of the account's invocations, by state name. */
function statusesOf({ ids }: Account, shown: readonly Shown[]): Record<string, string> {
  const nameOf = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const known = shown.filter(({ id }) => nameOf.has(id)).map((each) => ({ ...each, name: nameOf.get(each.id)! }));
  return Object.fromEntries(known.map(({ name, status }) => [name, statusWord(name, status)]));
}

function part(
  statuses: Readonly<Record<string, string>>,
  isIn: (name: string, status: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(statuses).filter(([name, status]) => isIn(name, status)));
}

function inOneLine(shown: Shown): string {
  const { id, status, target_service_name: service, target_handler_name: handler, created_at: at } = shown;
  return `${id} ${status} ${service}/${handler} ${Date.parse(at)}`;
}
