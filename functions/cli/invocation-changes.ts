/** The changes to invocations that the CLI offers: command names, routes, questions and outcome texts. */
import { Option } from "commander";

export interface InvocationChange {
  readonly name: string;
  readonly alias?: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** The last segment of the route, and the options that become its query. */
  readonly route: string;
  readonly query: readonly string[];
  /** The first word of the confirmation question. */
  readonly question: string;
  readonly done: string;
  /** The text for an answer 202: the server has recorded the change and applies it later. */
  readonly noted: string;
}

const deployment = (fallback: string): Option =>
  new Option("--deployment <id>", "on which deployment: its id, `keep` or `latest`").default(fallback);

const PLAIN = { options: [], query: [] } as const;

export const INVOCATION_CHANGES: readonly InvocationChange[] = [
  {
    ...PLAIN,
    name: "cancel",
    description: "Cancel invocations: the handler is told at its next step, and may undo what it has done.",
    route: "cancel",
    question: "Cancel",
    done: "Cancelled",
    noted: "Cancelling",
  },
  {
    ...PLAIN,
    name: "kill",
    description: "End invocations at once, without a word to the handler; nothing is undone.",
    route: "kill",
    question: "Kill",
    done: "Killed",
    noted: "Killing",
  },
  {
    ...PLAIN,
    name: "pause",
    description: "Hold invocations where they are; an attempt that runs may end first.",
    route: "pause",
    question: "Pause",
    done: "Paused",
    noted: "Pausing",
  },
  {
    name: "resume",
    description: "Let paused invocations go on, and those that wait for a retry try now.",
    options: [deployment("keep")],
    route: "resume",
    query: ["deployment"],
    question: "Resume",
    done: "Resumed",
    noted: "Resuming",
  },
  {
    ...PLAIN,
    name: "purge",
    alias: "rm",
    description: "Forget completed invocations: result, journal and idempotency key.",
    route: "purge",
    question: "Purge",
    done: "Purged",
    noted: "Purging",
  },
  {
    name: "restart",
    alias: "restart-as-new",
    description: "Start completed invocations once more, under a new id and with the same input.",
    options: [
      new Option("--from <entry>", "keep the journal up to this entry, and go on from there").default("0"),
      deployment("latest"),
    ],
    route: "restart-as-new",
    query: ["from", "deployment"],
    question: "Restart",
    done: "Restarted",
    noted: "Restarting",
  },
];
