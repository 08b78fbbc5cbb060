/** Looks at the invocations that plays have begun, once all have ended, and makes the picture of each play. */
import { setTimeout as sleep } from "node:timers/promises";
import { columnsOf, type Entry, entryOf, type Labels, journalOf, type Picture, plain, withoutIds } from "./picture.ts";
import { type On, type Part, type Scene, serviceName } from "./program.ts";
import type { Answer, Row, Side } from "./side.ts";
import { type Played, treeOf } from "./stage-play.ts";

export interface Play {
  readonly play: string;
  readonly scene: Scene;
  readonly played: Played;
}

/** The plays of a side, as far as they are known. */
interface Known {
  /** The labels of all invocations. */
  readonly labels: Map<string, string>;
  /** The invocations of each play. */
  readonly ids: Map<string, string[]>;
  readonly rows: Map<string, Row>;
  readonly journals: Map<string, Entry[]>;
}

/** The longest that a look waits for the end of invocations: ten times what it takes on a busy machine. */
const ENDED_WITHIN_MS = Number(process.env["BESIDE_GUARD_MS"] ?? 120_000);
/** An invocation that is in no table for so long will not be: it was stopped before it began. */
const ABSENT_FOR_MS = 5_000;
const LOOK_EVERY_MS = 40;
const IDS_MAX = 100;
const HEADERS = ["content-type", "x-restate-id", "x-restate-error-source", "idempotency-key", "location"];

/** @returns a picture for each play, in their order */
export async function observe(side: Side, plays: readonly Play[]): Promise<Picture[]> {
  const known = await untilEnded(side, plays);
  const all = [...known.labels.keys()];
  const events = grouped(await byIds(side, "select * from sys_journal_events where id", all), "id");
  const kept = await keptUnder(side, plays);
  return plays.map(({ play, scene, played }) => {
    const { labels } = known;
    const invocations = (known.ids.get(play) ?? []).map((id) => [
      labels.get(id)!,
      {
        row: columnsOf(known.rows.get(id) ?? {}, labels),
        ...journalOf(known.journals.get(id) ?? [], labels),
        events: withoutRepeats((events.get(id) ?? []).map((row) => eventOf(row, labels))),
      },
    ]);
    return {
      answers: Object.fromEntries(played.answers.map(({ what, answer }) => [what, shownAnswer(answer, labels)])),
      invocations: Object.fromEntries(invocations) as Picture,
      kept: kept.get(play) ?? {},
      executions: side.recorder.countsOf(play, "run "),
      scene: scene.kind,
    };
  });
}

async function untilEnded(side: Side, plays: readonly Play[]): Promise<Known> {
  const known: Known = { labels: new Map(), ids: new Map(), rows: new Map(), journals: new Map() };
  const add = (play: string, label: string, id: string) => {
    if (known.labels.has(id)) return;
    known.labels.set(id, label);
    known.ids.set(play, [...(known.ids.get(play) ?? []), id]);
  };
  for (const { play, played } of plays) for (const [label, id] of played.roots) add(play, label, id);
  const deadlineMs = performance.now() + ENDED_WITHIN_MS;
  const missedAtMs = new Map<string, number>();
  for (;;) {
    const open = [...known.labels.keys()].filter((id) => !known.journals.has(id));
    if (open.length === 0) return known;
    const rows = await byIds(side, "select * from sys_invocation where id", open);
    for (const row of rows) known.rows.set(String(row["id"]), row);
    const nowMs = performance.now();
    const ended = open.filter((id) => {
      const row = known.rows.get(id);
      if (row !== undefined) return row["status"] === "completed" || nowMs > deadlineMs;
      if (!missedAtMs.has(id)) missedAtMs.set(id, nowMs);
      return nowMs - missedAtMs.get(id)! > ABSENT_FOR_MS;
    });
    await readJournals(side, known, ended, add);
    if (ended.length === 0) await sleep(LOOK_EVERY_MS);
  }
}

async function readJournals(
  side: Side,
  known: Known,
  ids: readonly string[],
  add: (play: string, label: string, id: string) => void,
): Promise<void> {
  const columns = "id, index, entry_type, name, entry_json";
  const rows = grouped(await byIds(side, `select ${columns} from sys_journal where id`, ids), "id");
  for (const id of ids) {
    const entries = (rows.get(id) ?? []).map(entryOf).toSorted((one, other) => one.index - other.index);
    known.journals.set(id, entries);
    for (const entry of entries) {
      const begun = begunBy(entry);
      if (begun !== undefined) add(begun.play, `${known.labels.get(id)}>${begun.name}`, begun.id);
    }
  }
}

/** @returns the invocation that a call or a send has begun */
function begunBy({ json }: Entry): { play: string; name: string; id: string } | undefined {
  const body = json["Command"]?.["Call"] ?? json["Command"]?.["OneWayCall"];
  if (body === undefined) return undefined;
  const { invocation_id: id, parameter } = body["request"] as { invocation_id: string; parameter: number[] };
  const part = JSON.parse(Buffer.from(parameter).toString("utf8")) as Part | null;
  return part === null ? undefined : { play: part.play, name: part.program.name, id };
}

/** @returns the state, the promises and the locks under the keys of each play */
async function keptUnder(side: Side, plays: readonly Play[]): Promise<Map<string, Picture>> {
  const kept = new Map<string, Picture>();
  const keys = plays.flatMap(({ play, scene }) =>
    treeOf(scene.root).flatMap(({ on, key }) =>
      key === undefined ? [] : [{ play, service: serviceName(scene.kind, on), key: `${play}-${key}` }],
    ),
  );
  const tables: readonly (readonly [string, readonly On[]])[] = [
    ["state", ["object", "workflow"]],
    ["sys_promise", ["workflow"]],
    ["sys_keyed_service_status", ["object", "workflow"]],
    ["sys_inbox", ["object", "workflow"]],
  ];
  for (const service of new Set(keys.map((one) => one.service))) {
    const under = keys.filter((one) => one.service === service);
    for (const [table, on] of tables) {
      if (on.length === 1 && !service.endsWith("Flow")) continue;
      const list = under.map(({ key }) => `'${key}'`).join(", ");
      const rows = await side.query(
        `select * from ${table} where service_name = '${service}' and service_key in (${list})`,
      );
      for (const row of rows) {
        const { play } = under.find(({ key }) => key === row["service_key"])!;
        const of = `${table} of ${row["service_key"] as string} ${(row["key"] as string | undefined) ?? ""}`;
        kept.set(play, { ...kept.get(play), [of]: columnsOf(row, new Map()) });
      }
    }
  }
  return kept;
}

/** Counts an event that repeats the one before, so that the same events after it stand beside each other on both sides. */
function withoutRepeats(events: readonly Picture[]): readonly Picture[] {
  const kept: (Picture & { readonly repeats: number })[] = [];
  for (const event of events) {
    const { repeats, ...before } = kept.at(-1) ?? { repeats: 0 };
    if (repeats > 0 && isSameEvent(before, event)) kept.splice(-1, 1, { ...kept.at(-1)!, repeats: repeats + 1 });
    else kept.push({ ...event, repeats: 1 });
  }
  return kept;
}

/** `after` is not compared: it says only what was stored before the event. */
function isSameEvent(one: Picture, other: Picture): boolean {
  return JSON.stringify({ ...one, after: 0 }) === JSON.stringify({ ...other, after: 0 });
}

function eventOf(row: Row, labels: Labels): Picture {
  const json = JSON.parse(String(row["event_json"])) as Record<string, unknown>;
  return {
    after: row["after_journal_entry_index"],
    type: row["event_type"],
    ...(plain(json, labels) as Picture),
  };
}

function shownAnswer({ status, headers, text }: Answer, labels: Labels): Picture {
  const shown = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, withoutIds(value, labels)]];
  });
  return { status, body: bodyOf(text, labels), headers: Object.fromEntries(shown) as Picture };
}

function bodyOf(text: string, labels: Labels): unknown {
  try {
    return plain(JSON.parse(text), labels);
  } catch {
    return withoutIds(text, labels);
  }
}

async function byIds(side: Side, select: string, ids: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < ids.length; at += IDS_MAX) {
    const list = ids.slice(at, at + IDS_MAX).map((id) => `'${id}'`);
    rows.push(...(await side.query(`${select} in (${list.join(", ")})`)));
  }
  return rows;
}

function grouped(rows: readonly Row[], by: string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = String(row[by]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
