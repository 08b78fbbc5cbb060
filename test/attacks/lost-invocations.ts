/** Restarts the server on the same data, and looks for all invocations that it had accepted. */
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import type { Neighbour } from "./neighbour.ts";
import type { ServerProcess } from "./server-process.ts";
import { fetch } from "../harness/local/admin-access.ts";

const LANES = 16;
/** Up to this many invocations are read one by one; if there are more, their ids are searched in the list. */
const SINGLE_MAX = 100;
const PAGE = 500;

interface Page {
  readonly invocations: readonly { readonly id: string }[];
  readonly next?: string;
}

export interface Missing {
  /** Not found in time. */
  readonly lost: number;
  /** Sends of the neighbour that had no effect in time. */
  readonly undone: number;
}

/** @param accepted ids of the attacker's invocations */
export async function missingAfterRestart(
  server: ServerProcess,
  { sent, noted }: Neighbour,
  accepted: readonly string[],
): Promise<Missing> {
  await server.start();
  const untilMs = Date.now() + SEEN_WITHIN_MS;
  const listed = accepted.length > SINGLE_MAX ? await listedIds(server, new Set(accepted), untilMs) : new Set();
  const waiting = [...accepted.filter((id) => !listed.has(id)), ...sent.values()];
  let lost = 0;
  const lane = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
      if (Date.now() > untilMs || !(await isShown(server, id))) lost += 1;
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const undone = (): number => [...sent.keys()].filter((number) => !noted.has(number)).length;
  while (undone() > 0 && Date.now() < untilMs) await pause(50);
  return { lost, undone: undone() };
}

/** Reads the list page by page until all sought ids are found, the list ends, or the time is over. */
async function listedIds(server: ServerProcess, sought: ReadonlySet<string>, untilMs: number): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after: string | undefined = ""; after !== undefined && found.size < sought.size && Date.now() < untilMs;) {
    const position: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const page = await read<Page>(server, `/invocations?service=Attacker&limit=${PAGE}${position}`);
    if (page === undefined) break;
    for (const { id } of page.invocations) if (sought.has(id)) found.add(id);
    after = page.next;
  }
  return found;
}

async function isShown(server: ServerProcess, id: string): Promise<boolean> {
  return (await read(server, `/invocations/${id}`)) !== undefined;
}

/** @returns the parsed body of the answer; undefined without a good answer in time */
async function read<T>({ site }: ServerProcess, path: string): Promise<T | undefined> {
  try {
    const response = await fetch(`${site.adminUri}${path}`, { signal: AbortSignal.timeout(SEEN_WITHIN_MS) });
    const text = await response.text();
    return response.ok ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}
