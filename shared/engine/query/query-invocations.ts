/** The three tables of invocations. The narrowing of a statement decides which index its rows come from. */
import type { Narrowing } from "../../core/query/narrowing.ts";
import { planInvocations, type Wanted } from "../../core/query/access.ts";
import type { StatusWords } from "../../core/query/status-words.ts";
import type { TableShape } from "../../core/query/table-shape.ts";
import { IdError, type InvocationId, parseInvocationId } from "../../core/model/ids.ts";
import { StatusProbe } from "./status-probe.ts";
import { hasExpired } from "../store/load.ts";
import { loadHeads } from "../store/recorder.ts";
import type { Reading } from "./reading.ts";
import type { ScanRequest, SqlTable } from "../ports/sql.ts";
import { InvocationRow } from "./invocation-row.ts";
import { type ListingEntry, type ListingRange, ListingStream } from "./listing-stream.ts";
import { mayBeOpen, sorted, unreadEntries } from "./list-page.ts";
import { isAllParked, type Summary, summaryOfLoaded } from "./open-listing.ts";
import {
  type Known,
  OPEN_READ_MAX,
  readKnown,
  statusesOf,
  knownStatus,
  withStatus,
  type Probing,
} from "./with-status.ts";
import { isWanted, matters } from "./wanted.ts";

/** Entries per read of a shard. The first read has few, because a LIMIT may need no more. */
const PAGES = { firstPage: 24, nextPage: 500 };
const TOGETHER = 16;
const LOOKS_TOGETHER_MAX = 500;
/** A statement that needs more looks than this probably needs many rows, so it reads the whole open index instead. */
const LOOKS_BEFORE_WHOLE = 200;

/**
 * The sweeper's progress, and the part of the open index that a statement has read. Once a statement has needed many looks,
 * it reads the progress again, and the whole open index.
 */
type GrowingKnown = { -readonly [Field in keyof Known]: Known[Field] };

/** @param rows returns true for each summary that is a row of the table */
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

/** @param narrowing bounds on columns of `sys_invocation` */
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
      return yield* allOpen(reading, wanted, order);
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
    for (const loaded of await Promise.all(group.map((id) => loadHeads(engine, id, true))))
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

/** Yields the rows of the open index, and the young entries that a look finds open. */
async function* allOpen(reading: Reading, wanted: Wanted, order: ListingRange["order"]): AsyncGenerator<Summary> {
  const { engine, budget } = reading;
  const known = await readKnown(engine, budget);
  const rows = [...known.open.values()];
  const isListed = !isAllParked(wanted.statuses) && (wanted.created?.toMs ?? Infinity) >= known.noted.belowMs;
  const young = isListed ? youngEntries(reading, known, wanted, order) : undefined;
  const unread = isAllParked(wanted.statuses) ? [] : await unreadEntries(engine, known);
  yield* wantedOf(reading, known, wanted, mayBeOpen(known, [...rows, ...unread], young, order));
}

/** The entries of the listing that the sweeper has not reached, between the moments that the statement asks for. */
function youngEntries(
  { engine, budget }: Reading,
  { noted }: Known,
  { created }: Wanted,
  order: ListingRange["order"],
): AsyncGenerator<ListingEntry> {
  const fromMs = Math.max(noted.belowMs, created?.fromMs ?? 0);
  return new ListingStream(engine, budget, { order, fromMs, toMs: created?.toMs ?? Infinity, ...PAGES }).once();
}

async function* listed(reading: Reading, wanted: Wanted, range: Omit<ListingRange, keyof typeof PAGES>) {
  const { engine, budget } = reading;
  const known = { ...(await readKnown(engine, budget, OPEN_READ_MAX)) };
  const stream = new ListingStream(engine, budget, { ...range, ...PAGES });
  yield* wantedOf(reading, known, wanted, stream.once());
}

async function* wantedOf(
  { engine, budget }: Reading,
  known: GrowingKnown,
  wanted: Wanted,
  entries: AsyncIterable<ListingEntry>,
): AsyncGenerator<Summary> {
  const probe = new StatusProbe(engine, Infinity);
  // The groups of looks grow, because a LIMIT may need only the first few rows: each group is as large as all groups before it
  // together.
  let looked = 0;
  const telling: Probing = {
    known,
    isExcluded: (entry) => !matters(entry, wanted),
    probe: async (unknown) => {
      if (!known.isWhole && looked >= LOOKS_BEFORE_WHOLE) Object.assign(known, await readKnown(engine, budget));
      const shown = unknown.map((entry) => knownStatus(known, entry));
      const left = unknown.filter((_, at) => shown[at] === undefined);
      looked += left.length;
      budget.looks(left.length, known.noted.belowMs);
      const probed = statusesOf(left, await probe.at(left));
      let next = 0;
      return shown.map((one) => one ?? probed[next++]!);
    },
    probesTogether: () => Math.min(looked || PAGES.firstPage, LOOKS_TOGETHER_MAX),
  };
  for await (const { status } of withStatus(entries, telling))
    if (typeof status !== "string" && isWanted(status, wanted)) yield status;
}
