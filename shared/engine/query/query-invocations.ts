/** The three tables of invocations: each finds its rows by the index that a statement's narrowing allows. */
import type { Narrowing } from "../../core/query/narrowing.ts";
import { allows } from "../../core/query/narrowing.ts";
import { planInvocations, type Wanted } from "../../core/query/access.ts";
import type { StatusWords } from "../../core/query/status-words.ts";
import type { TableShape } from "../../core/query/table-shape.ts";
import type { Engine } from "../engine.ts";
import { IdError, type InvocationId, parseInvocationId } from "../../core/model/ids.ts";
import { targetText } from "../../core/model/target.ts";
import { InvocationRow } from "./invocation-row.ts";
import type { ListingBudget } from "../ledger/listing-budget.ts";
import { ListingStream, type ListingEntry, type ListingRange } from "./listing-stream.ts";
import { hasExpired, load } from "../ledger/load.ts";
import { isAllParked, openSummaries, settled, summaryByLoading, summaryOfLoaded } from "./open-listing.ts";
import type { SettledLook, Summary } from "./open-listing.ts";
import type { ScanRequest, SqlTable } from "../ports/sql.ts";
import type { Reading } from "../ledger/reading.ts";

/** Entries that each shard of a day gives at a time: few at first, because a LIMIT may need no more. */
const PAGES = { firstPage: 24, nextPage: 500 };
const NEWEST: ListingRange = { order: "newest-first", fromMs: 0, toMs: Infinity, ...PAGES };
const TOGETHER = 16;

/** @param rows only those that are true of it are rows of the table */
export function invocationTable(
  reading: Reading,
  shape: TableShape,
  words: StatusWords,
  rows: (summary: Summary) => boolean = () => true,
): SqlTable {
  return {
    shape,
    ordered: true,
    async *scan({ narrowing, order = "newest-first" }: ScanRequest) {
      for await (const summary of summaries(reading, narrowing, words, order))
        if (rows(summary)) yield new InvocationRow(reading, summary, words);
    },
  };
}

/** @param narrowing of the columns of `sys_invocation` */
export async function* summaries(
  reading: Reading,
  narrowing: Narrowing,
  words: StatusWords,
  order: NonNullable<ScanRequest["order"]>,
): AsyncGenerator<Summary> {
  const { access, wanted } = planInvocations(narrowing, words);
  switch (access.kind) {
    case "nothing":
      return;
    case "ids":
      return yield* sorted(await byId(reading, access.ids), order);
    case "open":
      return yield* sorted(await allOpen(reading, wanted), order);
    case "listing":
      return yield* listed(reading, wanted, { order, fromMs: access.fromMs, toMs: access.toMs });
  }
}

async function byId({ engine, budget }: Reading, ids: readonly string[]): Promise<Summary[]> {
  const known = [...new Set(ids)].filter(isId);
  const found: Summary[] = [];
  for (let at = 0; at < known.length; at += TOGETHER) {
    const group = known.slice(at, at + TOGETHER);
    budget.loads(group.length);
    for (const loaded of await Promise.all(group.map((id) => load(engine, id))))
      if (loaded !== undefined && !hasExpired(loaded, engine.clock.nowMs()))
        found.push(summaryOfLoaded(engine, loaded));
  }
  return found;
}

function isId(text: string): text is InvocationId {
  try {
    parseInvocationId(text);
    return true;
  } catch (error) {
    if (error instanceof IdError) return false;
    throw error;
  }
}

async function allOpen({ engine, budget }: Reading, wanted: Wanted): Promise<Summary[]> {
  const open = await openSummaries(engine, budget);
  if (isAllParked(wanted.statuses)) return [...open.values()].filter((summary) => isWanted(summary, wanted));
  const newest = new ListingStream(engine, budget, NEWEST);
  const { seen: young } = await settled(engine, { newest, open, ...byLoading(engine, budget, wanted) });
  return [...open.values(), ...young.values()].filter((summary) => isWanted(summary, wanted));
}

/** A statement mostly asks for more than an index shows, so that what is loaded is not loaded for nothing. */
function byLoading(engine: Engine, budget: ListingBudget, wanted: Wanted): Omit<SettledLook, "newest" | "open"> {
  return {
    look: async (entry) => {
      budget.loads(1);
      return await summaryByLoading(engine, entry);
    },
    looksMax: budget.limits.settledMax,
    entriesMax: Infinity,
    matters: (entry) => matters(entry, wanted),
  };
}

/** What neither index tells to be open has ended. */
async function* listed(
  { engine, budget }: Reading,
  wanted: Wanted,
  range: { order: NonNullable<ScanRequest["order"]>; fromMs: number; toMs: number },
): AsyncGenerator<Summary> {
  const open = await openSummaries(engine, budget);
  const stream = new ListingStream(engine, budget, NEWEST);
  const { seen: young } = await settled(engine, { newest: stream, open, ...byLoading(engine, budget, wanted) });
  const isSame = range.order === "newest-first" && range.fromMs === 0 && range.toMs === Infinity;
  const walked = isSame ? stream : new ListingStream(engine, budget, { ...range, ...PAGES });
  for await (const entry of walked.entries()) {
    const summary = open.get(entry.id) ?? young.get(entry.id) ?? ended(entry);
    if (isWanted(summary, wanted)) yield summary;
  }
}

export function ended(entry: ListingEntry): Summary {
  return { ...entry, status: "completed" };
}

/** What indexes show decides here; what they do not show is left to whoever asked. */
export function isWanted(summary: Summary, wanted: Wanted): boolean {
  const { status, deploymentId } = summary;
  return (
    wanted.statuses.has(status) &&
    (deploymentId === undefined || allows(wanted.deployment, deploymentId)) &&
    matters(summary, wanted)
  );
}

/** The same of what never changes. */
export function matters({ service, key, handler, createdAtMs }: ListingEntry, wanted: Wanted): boolean {
  const { created } = wanted;
  return (
    allows(wanted.service, service) &&
    allows(wanted.handler, handler) &&
    allows(wanted.key, key) &&
    (wanted.target === undefined ||
      allows(wanted.target, targetText({ service, handler, ...(key !== undefined && { key }) }))) &&
    createdAtMs >= (created?.fromMs ?? -Infinity) &&
    createdAtMs <= (created?.toMs ?? Infinity)
  );
}

export function sorted(found: Summary[], order: NonNullable<ScanRequest["order"]>): Summary[] {
  const sign = order === "newest-first" ? -1 : 1;
  return found.sort((a, b) => sign * (a.createdAtMs - b.createdAtMs) || (a.id < b.id ? -1 : 1));
}
