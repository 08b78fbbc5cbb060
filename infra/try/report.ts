/** Writes the reports of a smoke test: the plan before the run, and the results after it, as text and as JSON. */
import { indented, tableText } from "../../functions/cli/text/table.ts";
import type { Colours } from "../../functions/cli/text/terminal.ts";
import type { Account } from "./account.ts";
import { STAYS } from "./leftovers.ts";
import type { Price } from "./price.ts";
import type { CheckResult } from "./smoke-test.ts";
import type { Outputs } from "./try-stack.ts";

export interface Plan {
  readonly account: Account;
  readonly stackName: string;
  readonly price: Price;
  readonly checks: number;
  readonly keep: boolean;
  /** The status of an existing stack. */
  readonly standing: string | undefined;
}

export interface Report {
  readonly plan: Plan;
  readonly outputs: Outputs;
  readonly deployedMs: number;
  readonly results: readonly CheckResult[];
  readonly logs: readonly string[];
  readonly isInterrupted: boolean;
  /** Undefined if the stack is kept, or could not be destroyed. */
  readonly destroyedMs: number | undefined;
  /** Resources that exist although they should be gone. */
  readonly left: readonly string[];
}

/** Identifies the stack in the command that destroys it later. */
export type Meant = Pick<Plan, "stackName" | "account">;

/** Aligns the lines of one entry below each other. */
const BELOW = `\n${" ".repeat(8)}`;
const MARKS = { passed: "ok", failed: "FAILED", skipped: "skipped" } as const;

export function planText({ account, stackName, price, checks, keep, standing }: Plan): string {
  const end = keep ? "It stays, because of --keep." : "It is destroyed at the end, also after a failure or Ctrl-C.";

  return `Account ${account.id}, Region ${account.region}, as ${account.callerArn}
Stack   ${stackName}${standing === undefined ? "" : `, which is there already (${standing}) and is deployed anew`}
Makes   a control plane with both APIs behind IAM, without alarms and dashboard (they cost by the month), and a
        Lambda function with three services to call; then makes ${checks} checks over HTTPS.
        ${end}
Takes   some 3 minutes to deploy, 1 to try, 3 to destroy: an estimate, since nobody measured it on AWS yet
Costs   ${price.lines.join(BELOW)}
Stays   ${["nothing of its own; but", ...STAYS].join(BELOW)}
`;
}

export function resultsText(colours: Colours, { results, logs, outputs, plan, left, destroyedMs }: Report): string {
  const rows = results.map(({ name, outcome, tookMs, seen }) => [MARKS[outcome], name, `${tookMs} ms`, seen]);
  const table = rows.length === 0 ? [] : [tableText(colours, ["", "check", "took", "seen"], rows), ""];
  const tail = logs.length === 0 ? [] : ["Last words of the functions:", indented(logs.join("\n")), ""];
  return [...table, ...tail, ...endLines(plan, outputs, left, destroyedMs)].join("\n");
}

function again({ stackName, account }: Meant): string {
  return `npm run try -- --destroy --name ${stackName} --region ${account.region}`;
}

function endLines(
  plan: Plan,
  outputs: Outputs,
  left: readonly string[],
  destroyedMs: number | undefined,
): readonly string[] {
  const { keep, stackName } = plan;
  if (destroyedMs !== undefined && left.length === 0)
    return [`The stack ${stackName} is gone, with its table, parameters and logs.`];
  if (!keep) return leftLines(left, plan);
  const { IngressUrl, AdminUrl } = outputs;
  if (IngressUrl === undefined) return [`The resources of the stack ${stackName} stay. Destroy it: ${again(plan)}`];
  return [
    `The stack ${stackName} stays. Both APIs require signatures, which a proxy adds (npm run build; then each in a terminal of its own):`,
    `  node dist/stepwell.js proxy --to ${IngressUrl} --port 8080`,
    `  node dist/stepwell.js proxy --to ${AdminUrl} --port 9070`,
    `  curl localhost:8080/greeter/greet -H 'content-type: application/json' -d '"Ada"'`,
    `Destroy it: ${again(plan)}`,
  ];
}

/** @param left the result of `leftovers`, not empty */
export function leftLines(left: readonly string[], meant: Meant): readonly string[] {
  const hasStack = left.some((what) => what.startsWith("the stack"));
  const end = hasStack ? `Try again to remove it: ${again(meant)}` : "No stack holds it any more: remove it by hand.";
  return ["Left in the account:", ...left.map((what) => `  ${what}`), end];
}

/** The results for programs. Durations are in milliseconds, money is in dollars. */
export function reportBody({
  plan,
  outputs,
  deployedMs,
  results,
  logs,
  isInterrupted,
  destroyedMs,
  left,
}: Report): object {
  return {
    account: plan.account.id,
    region: plan.account.region,
    stack: plan.stackName,
    price_usd: Number(plan.price.runUsd.toFixed(6)),
    deployed_ms: deployedMs,
    checks: results.map(({ name, outcome, tookMs, seen }) => ({ name, outcome, took_ms: tookMs, seen })),
    logs,
    interrupted: isInterrupted,
    kept: plan.keep ? outputs : null,
    destroyed_ms: destroyedMs ?? null,
    left,
    stays: STAYS,
  };
}
