/** The differences between Stepwell (`ours`) and the reference server (`theirs`) that are meant, each with its reason. */
import type { Found } from "./compare.ts";
import type { Picture } from "./picture.ts";

export interface Difference {
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
  readonly reason: string;
  /** The decision, or the place in the documentation. */
  readonly decidedBy: string;
  explains(found: Found, seen: Seen): boolean;
}

/** Both pictures in which the leaf was found. */
export interface Seen {
  readonly ours: Picture;
  readonly theirs: Picture;
}

/** @param path the members down to the leaf; `*` is any one member, and `**` at the beginning is any number of them */
function at(path: string): (found: Found) => boolean {
  const whole = path.split(" / ");
  const isEnd = whole[0] === "**";
  const asked = isEnd ? whole.slice(1) : whole;
  return ({ path: found }) => {
    const rest = isEnd ? found.slice(-asked.length) : found;
    return rest.length === asked.length && asked.every((one, index) => one === "*" || one === rest[index]);
  };
}

const column = (name: string) => at(`invocations / * / row / ${name}`);
const event = (member: string) => at(`invocations / * / events / * / ${member}`);

/** Texts that say the same in other words. */
function sameIn(found: Found, ours: RegExp, theirs: RegExp): boolean {
  return (
    typeof found.ours === "string" &&
    typeof found.theirs === "string" &&
    ours.test(found.ours) &&
    theirs.test(found.theirs)
  );
}

/** @returns whether the event is about the failure with which its invocation has ended */
function endsInvocation({ path, ours: event }: Found, { ours }: Seen): boolean {
  const invocations = ours["invocations"] as Readonly<Record<string, { readonly row: Picture }>>;
  const { error_code: code, error_message: message } = event as Readonly<Record<string, string>>;
  return invocations[path[1]!]?.row["completion_failure"] === `[${code}] ${message}`;
}

const isMissing = (value: unknown): value is undefined => value === undefined;

export const DIFFERENCES: readonly Difference[] = [
  {
    what: "`sys_invocation.pinned_service_protocol_version`",
    ours: "7",
    theirs: "6",
    reason:
      "version 7 of the protocol is stable in the SDKs; the reference server has it behind a switch that is off by default",
    decidedBy: "docs/compatibility.md, Tested SDKs",
    explains: (found) => column("pinned_service_protocol_version")(found) && found.ours === 7 && found.theirs === 6,
  },
  {
    what: "`sys_invocation`: `outcome`, `last_action`, `last_action_at`, `priority`",
    ours: "set",
    theirs: "no such column",
    reason: "operators ask how an invocation ended, who stopped it, and what goes first",
    decidedBy: "docs/sql.md, What differs from the reference",
    explains: (found) =>
      ["outcome", "last_action", "last_action_at", "priority"].some((name) => column(name)(found)) &&
      isMissing(found.theirs),
  },
  {
    what: "`sys_invocation.created_using_restate_version`",
    ours: "NULL",
    theirs: "the version of the server",
    reason: "the version of the server that accepted an invocation is not kept",
    decidedBy: "docs/compatibility.md, The reference's web UI",
    explains: (found) => column("created_using_restate_version")(found) && isMissing(found.ours),
  },
  {
    what: "`sys_invocation.idempotency_key` of a request without one",
    ours: "NULL",
    theirs: "a ULID",
    reason: "no key is made up for a caller that gave none",
    decidedBy: "docs/compatibility.md, The reference's web UI",
    explains: (found) => column("idempotency_key")(found) && isMissing(found.ours) && found.theirs === "a ULID",
  },
  {
    what: "`sys_invocation.scheduled_at` of an invocation that is accepted after its delay",
    ours: "NULL",
    theirs: "the moment of the acceptance",
    reason: "an invocation that is due when it is accepted is never scheduled",
    decidedBy: "docs/sql.md, sys_invocation",
    explains: (found) => column("scheduled_at")(found) && isMissing(found.ours),
  },
  {
    what: "`sys_invocation.running_at` if the first attempt stored no entry and another one followed",
    ours: "NULL",
    theirs: "the start of the first attempt",
    reason: "such an attempt leaves no item that could have its start",
    decidedBy: "docs/sql.md, sys_invocation",
    explains: (found) => column("running_at")(found) && isMissing(found.ours),
  },
  {
    what: "`entry_json` of calls and sends: retention of the called invocation",
    ours: "0",
    theirs: "the retention of the called handler",
    reason: "the retention is stored with the acceptance of the called invocation, where its row shows it",
    decidedBy: "ADR 0035",
    explains: (found) =>
      (at("** / completion_retention_duration / secs")(found) || at("** / journal_retention_duration / secs")(found)) &&
      found.ours === 0,
  },
  {
    what: "`sys_journal_events.after_journal_entry_index`",
    ours: "the last entry that is stored now",
    theirs: "the last entry at the moment of the event",
    reason: "an event is stored beside the journal, without a place in it",
    decidedBy: "docs/sql.md, sys_journal_events",
    explains: (found) =>
      event("after")(found) &&
      typeof found.ours === "number" &&
      typeof found.theirs === "number" &&
      found.ours > found.theirs,
  },
  {
    what: "`sys_journal_events`: the stack of a failure that stored no entry",
    ours: "none",
    theirs: "in the event",
    reason: "an event stays within one write unit; the invocation has the stack of its last failure in `last_failure`",
    decidedBy: "docs/compatibility.md, The reference's web UI",
    explains: (found) => event("error_stacktrace")(found) && isMissing(found.ours),
  },
  {
    what: "`sys_journal_events` of the attempt that spends the retries, if it fails in another way than the one before",
    ours: "its failure, which is the result, too",
    theirs: "no row",
    reason: "each failed attempt is an event, also the last one",
    decidedBy: "docs/sql.md, sys_journal_events",
    explains: (found, seen) =>
      at("invocations / * / events / *")(found) && isMissing(found.theirs) && endsInvocation(found, seen),
  },
  {
    what: "`sys_journal_events` of a failure that repeats the one before it after a suspension",
    ours: "one row",
    theirs: "one row before and one after the suspension",
    reason: "failures that repeat the one before are one event; the reference forgets the one before at a suspension",
    decidedBy: "docs/sql.md, sys_journal_events",
    explains: (found) =>
      event("repeats")(found) &&
      typeof found.ours === "number" &&
      typeof found.theirs === "number" &&
      found.theirs > found.ours,
  },
  {
    what: "the text of a failed exchange",
    ours: "`The exchange with <address> broke: ...`",
    theirs: "the texts of its HTTP client",
    reason: "each server has its own HTTP client; the code (RT0010) is the same",
    decidedBy: "docs/errors.md, RT0010",
    explains: (found) =>
      event("error_message")(found) &&
      sameIn(found, /^The exchange with \S+ broke: /, /error when calling|error while reading the response body/),
  },
  {
    what: "the text of a call to a handler that does not exist",
    ours: "`command Call`",
    theirs: "`command Command: Call`",
    reason: "the doubled word is a slip",
    decidedBy: "docs/errors.md, RT0018",
    explains: ({ ours, theirs }) =>
      typeof ours === "string" &&
      typeof theirs === "string" &&
      theirs.replace("command Command: ", "command ") === ours,
  },
  {
    what: "`sys_journal_events` of a call to a handler that does not exist: the related command",
    ours: "its index and its type",
    theirs: "none",
    reason: "operators look for the command that failed",
    decidedBy: "docs/errors.md, RT0018",
    explains: (found) =>
      (event("related_command_index")(found) || event("related_command_type")(found)) && isMissing(found.theirs),
  },
  {
    what: "the texts of refused restarts",
    ours: "name the one reason",
    theirs: "name the possible reasons",
    reason: "the status is the same; the text says what an operator can do",
    decidedBy: "ADR 0014",
    explains: (found) =>
      at("answers / restart / body / message")(found) &&
      (sameIn(found, /is the run of a workflow/, /Restarting workflows is not supported/) ||
        sameIn(found, /can be restarted only from its input/, /restarting invocations created using the old service/) ||
        sameIn(
          found,
          /has no such entry, or a command before it has no completion/,
          /some Commands without respective Completions/,
        )),
  },
  {
    what: "the stack of a failure, in the answer to a request for a stored result",
    ours: "as in the first answer",
    theirs: "none",
    reason: "the same result has the same body whenever it is fetched",
    decidedBy: "docs/errors.md",
    explains: (found) => at("answers / * / body / stacktrace")(found) && isMissing(found.theirs),
  },
  {
    what: "`sys_promise.completion_failure`",
    ours: "`[500] <message>`",
    theirs: "`[500 Internal] <message>`",
    reason: "the same form as in `sys_invocation.completion_failure`, of either server",
    decidedBy: "docs/sql.md, sys_promise",
    explains: (found) =>
      at("kept / * / completion_failure")(found) &&
      typeof found.theirs === "string" &&
      found.theirs.replace(/^\[(\d+) \w+\] /, "[$1] ") === found.ours,
  },
];
