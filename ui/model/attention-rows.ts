/** The rows of the overview: invocations, circuits and deployments that need an operator, worst first, each with one sentence. */
import type { DeploymentSummaryBody } from "../../shared/api/contract/deployments.ts";
import type { AttentionBody, CauseBody, HeldBody, OverviewBody } from "../../shared/api/contract/overview.ts";
import { listHref } from "./invocation-filter.ts";
import { hrefTo } from "./route.ts";
import type { Tone } from "./status-look.ts";
import { countText } from "./size-text.ts";
import { ageText, durationText, momentOf } from "./time-text.ts";
import { errorHead, soon, waitsText } from "./why.ts";

export interface NeedRow {
  /** If two answers of the admin API contain the same need, its row has the same id for both. */
  readonly id: string;
  readonly glyph: string;
  readonly tone: Tone;
  /** The meaning of the glyph in one word. */
  readonly word: string;
  readonly target: string;
  readonly href: string;
  readonly sentence: string;
  readonly since: string;
  /** The button resumes the invocation or the group, or opens the page on which an operator can solve the problem. */
  readonly act: "resume" | "resume-group" | "open";
  /** How many invocations the row stands for, and whether there may be more. */
  readonly count?: { readonly number: number; readonly isAtLeast: boolean };
}

type Deployment = DeploymentSummaryBody;

const ROWS_MAX = 12;

type Needs = Pick<OverviewBody, "attention"> & Partial<Pick<OverviewBody, "causes" | "circuits">>;

/** Worst first: open circuits and dead deployments, then groups by cause, then invocations that are overdue or silent, or wait. */
export function needRows(overview: Needs, deployments: readonly Deployment[], nowMs: number): readonly NeedRow[] {
  const { attention, causes = [], circuits: held = [] } = overview;
  const of = (...kinds: readonly string[]): readonly NeedRow[] =>
    attention.filter(({ kind }) => kinds.includes(kind)).map((one) => invocationNeed(one, nowMs));
  const circuits = deployments.flatMap((deployment) => circuitNeeds(deployment, held, nowMs));
  const draining = deployments.flatMap(drainingNeeds);
  const groups = causes.map((group) => aloneIn(group, attention, nowMs) ?? causeNeed(group));
  // A group stands for its invocations; without groups, as from an older server, the invocations stand for themselves.
  const stuck = groups.length > 0 || held.length > 0 ? groups : of("paused", "failing");
  const worst = [...circuits, ...stuck, ...of("overdue", "silent")];
  // Draining and waiting are slow troubles, so some of them keep a place, however many others there are.
  const slow = [...draining, ...of("waiting")];
  return [...worst.slice(0, ROWS_MAX - Math.min(slow.length, 3)), ...slow].slice(0, ROWS_MAX);
}

/** The only invocation of a group says more than the group: its attempts, and who paused it. */
function aloneIn(group: CauseBody, attention: OverviewBody["attention"], nowMs: number): NeedRow | undefined {
  const { kind, service, handler, among } = group;
  const one =
    among === 1
      ? attention.find(
          (row) => row.kind === kind && row.target_service_name === service && row.target_handler_name === handler,
        )
      : undefined;
  return one && invocationNeed(one, nowMs);
}

/** `12 × Billing/charge`: one row for all invocations of a handler with one cause. */
function causeNeed(group: CauseBody): NeedRow {
  const { kind, service, handler, cause, text, since } = group;
  return {
    id: `${kind} ${service}/${handler} ${cause ?? ""}`,
    ...LOOKS[kind]!,
    target: `${service}/${handler}`,
    href: groupHref(group),
    sentence: text ?? "Paused, and no failure is stored: an operator may have paused them.",
    since,
    act: "resume-group",
    count: groupCount(group),
  };
}

/** If only some were looked at, and all of them have the cause, the others have it probably, too: at least these. */
export function groupCount({ count, looked_at: lookedAt, among }: CauseBody): NonNullable<NeedRow["count"]> {
  return { number: count, isAtLeast: lookedAt < among };
}

/** The list of the invocations of the group. */
function groupHref({ kind, service, handler, cause }: CauseBody): string {
  const status = [kind === "paused" ? "paused" : "backing-off"];
  return listHref({ status, service: [service], handler: [handler], ...(cause !== undefined && { cause: [cause] }) });
}

const LOOKS: Readonly<Record<string, Pick<NeedRow, "glyph" | "tone" | "word">>> = {
  paused: { glyph: "‖", tone: "paused", word: "paused" },
  failing: { glyph: "↻", tone: "retrying", word: "failing" },
  overdue: { glyph: "!", tone: "failed", word: "overdue" },
  silent: { glyph: "▶", tone: "running", word: "silent" },
  waiting: { glyph: "○", tone: "waiting", word: "waiting" },
};
const CIRCUIT = { glyph: "✕", tone: "failed", word: "circuit open" } as const;
const DEAD = { glyph: "✕", tone: "failed", word: "unreachable" } as const;
const DRAINING = { glyph: "○", tone: "waiting", word: "draining" } as const;

function invocationNeed(one: AttentionBody, nowMs: number): NeedRow {
  const { id, kind, target, since } = one;
  const look = LOOKS[kind] ?? LOOKS["waiting"]!;
  return {
    id,
    ...look,
    target,
    href: hrefTo("invocations", [id]),
    sentence: sentenceOf(one, nowMs),
    since,
    act: kind === "paused" ? "resume" : "open",
  };
}

function sentenceOf({ kind, error, pause, waits_for: waits, attempts, since, status }: AttentionBody, nowMs: number) {
  const head = error === undefined ? undefined : errorHead(error);
  const sinceMs = momentOf(since) ?? nowMs;
  switch (kind) {
    case "paused":
      if (pause?.reason === "order") return `Paused by ${pause.by ?? "an operator"}.`;
      if (pause?.reason === "process-ends") return "Paused, because its attempts ended the process.";
      return `Paused after attempt ${attempts ?? 1}: ${head ?? "the failure is not stored"}`;
    case "failing": {
      const until = momentOf(waits.find(({ kind: one }) => one === "retry")?.until);
      const next = until === undefined ? "" : `, the next is ${soon(until, nowMs)}`;
      return `Attempt ${attempts ?? 1} failed${next}: ${head ?? "no failure is stored"}`;
    }
    case "overdue":
      if (status === "ready") return "Waits for a driver, and none has taken it.";
      return `Was due ${durationText(nowMs - sinceMs)} ago, and no driver has taken it.`;
    case "silent":
      return "The deployment accepted the attempt, and has sent nothing since.";
    case "waiting":
      return `${capital(waitsText(waits, nowMs))}.`;
  }
}

function circuitNeeds(deployment: Deployment, held: readonly HeldBody[], nowMs: number): readonly NeedRow[] {
  const { circuits = [], id, health } = deployment;
  return circuits.map(({ service, open_since: since, next_attempt_at: next, reason }) => {
    const waiting = held.find((one) => one.deployment_id === id && one.service === service)?.waiting ?? 0;
    const isDead = health?.state === "unreachable";
    const contactMs = momentOf(health?.last_contact_at);
    const facts = [
      `${isDead ? "Unreachable" : "All attempts fail"} for ${durationText(nowMs - (momentOf(since) ?? nowMs))}`,
      waiting === 0 ? "" : `${countText(waiting)} ${waiting === 1 ? "waits" : "wait"}`,
      contactMs === undefined ? "" : `last contact ${ageText(contactMs, nowMs)}`,
      `next probe ${soon(momentOf(next) ?? nowMs, nowMs)}`,
    ].filter((fact) => fact !== "");
    return {
      id: `circuit ${id} ${service}`,
      ...(isDead ? DEAD : CIRCUIT),
      target: service,
      href: hrefTo("deployments", [id]),
      sentence: `${facts.join(", ")}: ${reason.split("\n", 1)[0]}`,
      since,
      act: "open" as const,
    };
  });
}

function drainingNeeds(deployment: Deployment): readonly NeedRow[] {
  const { id, status, pinned_invocations: pinned = 0, created_at: since, services } = deployment;
  if (status !== "draining") return [];
  const names = services.map(({ name, revision }) => `${name}@${revision}`).join(", ");
  const count = pinned === 1 ? "1 open invocation" : `${countText(pinned)} open invocations`;
  return [
    {
      id: `draining ${id}`,
      ...DRAINING,
      target: addressOf(deployment),
      href: hrefTo("deployments", [id]),
      sentence: `Draining: ${count} of ${names} still ${pinned === 1 ? "needs" : "need"} it.`,
      since,
      act: "open",
    },
  ];
}

export function addressOf(deployment: Deployment): string {
  return "uri" in deployment ? deployment.uri : deployment.arn;
}

function capital(text: string): string {
  return text === "" ? text : `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
