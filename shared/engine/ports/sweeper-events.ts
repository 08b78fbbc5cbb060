/** The log events of the sweeper: its passes, looks, walks, slices and dead letters. */
import type { LogEventEntry } from "./log-event.ts";

export const SWEEPER_EVENTS = {
  "sweeper.work-found": {
    level: "info",
    message: "The sweeper woke invocations whose wake was lost, extended open ones, or gave slices to workers",
  },
  "sweeper.pass-unfinished": {
    level: "warn",
    message: "A pass of the sweeper left work to the next pass",
    remedy:
      "The next passes continue by themselves. If the line repeats for an hour, see ListingBehind in docs/operating/incidents.md.",
  },
  "sweeper.pass-failed": {
    level: "error",
    message: "A pass of the sweeper failed",
    remedy:
      "The field error has the cause. The next pass makes up for it; if passes keep failing, lost wakes stay lost.",
  },
  "sweeper.pass-lost": {
    level: "warn",
    message: "The previous pass of the sweeper did not end, so this pass records each look before it begins",
    remedy: "Look in the log of the previous pass for a time-out or a lack of memory.",
  },
  "sweeper.died": {
    level: "error",
    message: "A sweeper died while it looked at an invocation, so sweepers leave that invocation to workers for a day",
    remedy: "Describe the invocation of the field invocationId. If its journal is large, raise sweeperMemoryMb.",
  },
  "sweeper.look-failed": {
    level: "error",
    message: "The sweeper could not look at an invocation",
    remedy: "The field error has the cause. Later passes try the look again.",
  },
  "sweeper.look-abandoned": {
    level: "error",
    message: "The sweeper gave up an invocation after several failed looks",
    remedy:
      "Earlier lines sweeper.look-failed have the cause. Mend it; the sweeper tries again once a day, or at once if it is ordered to walk everything (docs/operating/incidents.md).",
  },
  "sweeper.look-skipped": {
    level: "info",
    message: "An invocation is too large for the sweeper to load, so a worker looks at it",
  },
  "sweeper.entry-abandoned": {
    level: "error",
    message: "The sweeper gave up an entry of an index after several failed looks",
    remedy:
      "Earlier lines sweeper.look-failed have the cause. Mend it, then order the sweeper to walk everything (docs/operating/incidents.md).",
  },
  "sweeper.walk-delayed": {
    level: "info",
    message: "Walks of the sweeper are behind",
  },
  "sweeper.slice-done": { level: "info", message: "A worker finished a slice of a walk" },
  "sweeper.slice-failed": {
    level: "error",
    message: "A worker could not finish a slice of a walk",
    remedy: "The field error has the cause. The next pass of the sweeper sends the slice again.",
  },
  "effect.redone": {
    level: "info",
    message: "The sweeper performed the effects that the end of an invocation had left undone",
  },
  "dead-letter.answered": {
    level: "warn",
    message: "The sweeper answered dead letters: it drove or paused their invocations",
    remedy: "Earlier lines wake.failed have the cause. Remove the cause, then resume the paused invocations.",
  },
  "dead-letter.left": {
    level: "error",
    message: "The sweeper could neither drive nor pause the invocation of a dead letter, so the letter stays",
    remedy: "The field error has the cause. Mend it; the next pass tries the letter again.",
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
