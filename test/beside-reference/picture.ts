/** The picture of a play on one side: what callers, operators and statements saw, without ids, moments and freedom of order. */
import type { Row } from "./side.ts";

/** A tree of plain values. Two pictures of one scene are compared leaf by leaf. */
export type Picture = Readonly<Record<string, unknown>>;

/** The labels of invocations by their ids. */
export type Labels = ReadonlyMap<string, string>;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const INVOCATION = /inv_1[0-9a-zA-Z]{33}/g;
const AWAKEABLE = /(sign|prom)_1([\w-]{38,})/g;
const DEPLOYMENT = /^dp_1[0-9a-zA-Z]+$/;
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
/** The members of an entry's JSON that hold bytes as numbers. */
const BYTES: ReadonlySet<string> = new Set(["payload", "parameter", "Success", "value"]);
/** The members that hold moments in ms; 0 means none. */
const MOMENTS: ReadonlySet<string> = new Set(["wake_up_time", "invoke_time"]);
/** The columns that differ between any two runs, or that `columnsOf` reads in another form. */
const LEFT_OUT: ReadonlySet<string> = new Set(["partition_key", "trace_id", "last_attempt_server"]);

export function withoutIds(text: string, labels: Labels): string {
  return text
    .replaceAll(INVOCATION, (id) => `<${labels.get(id) ?? "another invocation"}>`)
    .replaceAll(
      AWAKEABLE,
      (_, kind: string, rest: string) => `<${kind} ${Buffer.from(rest, "base64url").readUInt32BE(24)}>`,
    );
}

/** @returns the value with labels for ids, "a moment" for moments and text for bytes */
export function plain(value: unknown, labels: Labels, member = ""): unknown {
  if (typeof value === "string") {
    // The frames of a stack depend on what the deployment does at that moment.
    if (member.endsWith("stacktrace")) return "a stack";
    if (MOMENT.test(value)) return "a moment";
    if (DEPLOYMENT.test(value)) return "a deployment";
    return ULID.test(value) ? "a ULID" : withoutIds(value, labels);
  }
  if (typeof value === "number") return MOMENTS.has(member) && value !== 0 ? "a moment" : value;
  if (Array.isArray(value)) {
    if (BYTES.has(member) && value.every((one) => typeof one === "number")) {
      return withoutIds(Buffer.from(value as number[]).toString("utf8"), labels);
    }
    return value.map((one) => plain(one, labels));
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, labels, key)]));
}

export function columnsOf(row: Row, labels: Labels): Picture {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => !LEFT_OUT.has(column))
      .map(([column, value]) => [column, plain(value, labels)]),
  );
}

/** An entry of a journal as both servers show it. */
export interface Entry {
  readonly index: number;
  readonly type: string;
  readonly name: string | undefined;
  readonly json: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
}

export function entryOf(row: Row): Entry {
  const json = JSON.parse(String(row["entry_json"])) as Entry["json"];
  return {
    index: Number(row["index"]),
    type: String(row["entry_type"]),
    name: row["name"] as string | undefined,
    json,
  };
}

/**
 * The protocol lets a server store a notification at any place after its command, so commands are compared in their order, and
 * notifications by what they complete.
 */
export function journalOf(entries: readonly Entry[], labels: Labels): Picture {
  const commands: unknown[] = [];
  const notifications: Record<string, unknown[]> = {};
  for (const entry of entries) {
    const shown = { type: entry.type, name: entry.name ?? "", json: plain(entry.json, labels) };
    if (entry.json["Command"] !== undefined) commands.push(shown);
    else (notifications[completedBy(entry)] ??= []).push(shown);
  }
  return { commands, notifications, early: earlyOf(entries) };
}

/** @returns what the notification completes */
function completedBy({ json }: Entry): string {
  const { Completion: completion, Signal: signal } = json["Notification"]!;
  if (signal !== undefined) return `signal ${JSON.stringify(signal["id"])}`;
  const [[kind, { completion_id: id }]] = Object.entries(completion!) as [[string, { completion_id: number }]];
  return `${kind} ${id}`;
}

/** @returns the completions that are stored before their commands; there are none */
function earlyOf(entries: readonly Entry[]): string[] {
  const begun = new Set<number>();
  const early: string[] = [];
  for (const entry of entries) {
    const command = entry.json["Command"];
    if (command !== undefined) {
      const [body] = Object.values(command);
      for (const [member, value] of Object.entries(body!))
        if (member.endsWith("completion_id")) begun.add(value as number);
    } else if (entry.json["Notification"]!["Completion"] !== undefined) {
      const [body] = Object.values(entry.json["Notification"]!["Completion"]!) as [{ completion_id: number }];
      if (!begun.has(body.completion_id)) early.push(completedBy(entry));
    }
  }
  return early;
}
