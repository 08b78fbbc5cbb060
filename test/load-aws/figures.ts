/** The figures of a run, for readers and for programs. */
import type { Book, Still } from "./book.ts";
import type { LoadClient } from "./client.ts";
import type { Fates } from "./function-notes.ts";
import type { Growth } from "./growth.ts";
import { groupedBy } from "../grouped.ts";
import type { Killer } from "./killer.ts";
import { BEYOND_SWEEPER } from "./large-kinds.ts";
import type { LedgerVerdict } from "./repeat-rule.ts";
import type { Throttled } from "./throttled.ts";

interface KindFigures {
  readonly kind: string;
  readonly count: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** The throttling of one resource. */
interface ThrottledFigures {
  readonly requests: number;
  readonly refused: number;
  readonly bursts: number;
}

interface LargeFigures {
  readonly ended: number;
  readonly beyondSweeper: number;
  readonly storedMib: number;
  readonly largestMib: number;
}

export interface Figures {
  readonly seed: number;
  readonly minutes: number;
  readonly submitted: number;
  readonly heldBack: number;
  readonly accepted: number;
  readonly kinds: readonly KindFigures[];
  readonly blows: Readonly<Record<string, number>>;
  readonly allAtOnce: number;
  readonly aimed: number;
  readonly wipes: number;
  readonly throttled: Readonly<Record<string, ThrottledFigures>>;
  readonly messages: Fates;
  readonly large: LargeFigures;
  readonly outOfMemory: Readonly<Record<string, number>>;
  readonly paused: number;
  readonly sweeps: number;
  readonly sweepsFailed: number;
  readonly askedAgain: Readonly<Record<string, number>>;
  readonly unkeyedAgain: number;
  readonly unanswered: number;
  readonly steps: number;
  readonly executions: number;
  readonly undone: Readonly<Record<string, number>>;
  readonly thrown: number;
  readonly adds: number;
  readonly hiddenMessages: number;
  readonly schedulesLeft: number;
  readonly quietAfterS: number;
  readonly longestStill: readonly Still[];
  readonly growth: readonly Growth[];
}

export interface Run {
  readonly seed: number;
  readonly minutes: number;
  readonly heldBack: number;
  readonly accepted: number;
  readonly hiddenMessages: number;
  readonly schedulesLeft: number;
  readonly quietAfterS: number;
  readonly throttled: Throttled;
  readonly growth: readonly Growth[];
  readonly messages: Fates;
  readonly outOfMemory: Readonly<Record<string, number>>;
  readonly paused: number;
}

const MIB = 1 << 20;

export function figuresOf(run: Run, book: Book, client: LoadClient, killer: Killer, ledger: LedgerVerdict): Figures {
  const blows: Record<string, number> = {};
  for (const { name, kind } of killer.blows) blows[`${name} ${kind}`] = (blows[`${name} ${kind}`] ?? 0) + 1;
  const { throttled, ...rest } = run;
  return {
    ...rest,
    throttled: throttledOf(throttled),
    large: largeOf(book),
    submitted: book.submissions.length,
    kinds: kindsOf(book),
    blows,
    allAtOnce: killer.allAtOnce,
    aimed: killer.aimed,
    wipes: killer.wipedAtMs.length,
    sweeps: killer.sweeps,
    sweepsFailed: killer.failedSweeps.length,
    askedAgain: Object.fromEntries(client.askedAgain),
    unkeyedAgain: client.unkeyedAgain,
    unanswered: client.unanswered.length,
    steps: book.committed.length,
    executions: ledger.executions,
    undone: ledger.undone,
    thrown: ledger.thrown,
    adds: book.added.length,
    longestStill: book.stills.toSorted((one, other) => other.forMs - one.forMs).slice(0, 5),
  };
}

function throttledOf({ requests, refused, bursts }: Throttled): Record<string, ThrottledFigures> {
  const figures = Object.entries(requests).map(([resource, count]) => {
    return [resource, { requests: count, refused: refused[resource] ?? 0, bursts: bursts[resource] ?? 0 }] as const;
  });
  return Object.fromEntries(figures);
}

function largeOf({ submissions, largeBytes }: Book): LargeFigures {
  const mib = (bytes: number): number => Math.round(bytes / MIB);
  return {
    ended: largeBytes.length,
    beyondSweeper: submissions.filter(({ kind, endedAtMs }) => kind === BEYOND_SWEEPER && endedAtMs !== undefined)
      .length,
    storedMib: mib(largeBytes.reduce((sum, bytes) => sum + bytes, 0)),
    largestMib: mib(Math.max(0, ...largeBytes)),
  };
}

function kindsOf({ submissions }: Book): KindFigures[] {
  return [...groupedBy(submissions, ({ kind }) => kind)].map(([kind, all]) => {
    const tookMs = all
      .flatMap(({ endedAtMs, submittedAtMs, askedMs }) =>
        endedAtMs === undefined ? [] : [endedAtMs - submittedAtMs - askedMs],
      )
      .toSorted((one, other) => one - other);
    const at = (share: number): number => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0;
    return { kind, count: all.length, medianMs: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  });
}

export function tableOf(figures: Figures): string {
  const kinds = figures.kinds.map(
    ({ kind, count, medianMs, p99Ms, maxMs }) =>
      `  ${kind.padEnd(20)} ${count.toString().padStart(6)} ${seconds(medianMs)} ${seconds(p99Ms)} ${seconds(maxMs)}`,
  );
  const growth = figures.growth.map(
    ({ name, firstMb, lastMb, mostMb, processesMost }) =>
      `${name} ${firstMb} -> ${lastMb} MB (most ${mostMb}, ${processesMost} at once)`,
  );
  const throttled = Object.entries(figures.throttled).map(
    ([resource, { requests, refused, bursts }]) => `${resource} ${refused} of ${requests} in ${bursts} bursts`,
  );
  const { sent, doubled, lost } = figures.messages;
  const { ended, beyondSweeper, storedMib, largestMib } = figures.large;
  const still = figures.longestStill.map(({ kind, forMs }) => `${kind} ${(forMs / 1000).toFixed(1)} s`);
  return [
    "",
    `load           ${figures.minutes} minutes, ${figures.submitted} submitted (${(figures.submitted / figures.minutes / 60).toFixed(1)} a second), ${figures.heldBack} held back; ${figures.accepted} accepted with calls and sends`,
    `  ${"kind".padEnd(20)}  count  median     p99     max (seconds beyond what was asked)`,
    ...kinds,
    `blows          ${counts(figures.blows)}; ${figures.allAtOnce} times all at once, ${figures.aimed} aimed at a commit`,
    `hints          wiped ${figures.wipes} times; ${figures.sweeps} sweeps, ${figures.sweepsFailed} of them failed`,
    `messages       ${lost} of ${sent + doubled + lost} lost, ${doubled} doubled`,
    `throttled      ${throttled.join(", ")}; ${figures.paused} paused`,
    `large          ${ended} ended, ${beyondSweeper} of them beyond what the sweeper holds; ${storedMib} MiB stored, the largest ${largestMib}; out of memory: ${counts(figures.outOfMemory)}`,
    `asked again    ${counts(figures.askedAgain)}; ${figures.unkeyedAgain} of them without a key, ${figures.unanswered} given up without any answer`,
    `ledger         ${figures.steps} steps, ${figures.executions} executions; undone: ${counts(figures.undone)}; ${figures.thrown} thrown on purpose`,
    `objects        ${figures.adds} adds`,
    `quiet          ${figures.quietAfterS} s after the last submission; ${figures.hiddenMessages} messages hidden with killed workers, ${figures.schedulesLeft} schedules of sleeps that were cut short`,
    `no progress    ${still.join(", ")}`,
    `memory         ${growth.join("; ")}`,
    "",
  ].join("\n");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2).padStart(7);
}

function counts(record: Readonly<Record<string, number>>): string {
  return Object.entries(record)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}
