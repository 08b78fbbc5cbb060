/** Deploys the stack, runs the checks, and destroys the stack at the end, unless the user wants to keep it. */
import { randomBytes } from "node:crypto";
import { failureText, type CommandFailure } from "../../functions/cli/text/command-failure.ts";
import { apiClient } from "./api-client.ts";
import { requireBootstrap } from "./account.ts";
import { awsFailure } from "./aws-failure.ts";
import { CHECKS, workOf } from "./checks.ts";
import { removeStack } from "./clear-up.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_LEFT, EXIT_OK } from "./exit-codes.ts";
import type { Interruption } from "./interruption.ts";
import { interruption } from "./interruption.ts";
import { logTail } from "./log-tail.ts";
import { Plane } from "./plane.ts";
import { priceOf } from "./price.ts";
import type { Plan, Report } from "./report.ts";
import { leftLines, planText, reportBody, resultsText } from "./report.ts";
import type { CheckResult } from "./smoke-test.ts";
import { smokeTest } from "./smoke-test.ts";
import type { Stage } from "./stage.ts";
import type { Outputs } from "./try-stack.ts";

const RUN_BYTES = 4;

interface Tried {
  readonly outputs: Outputs;
  readonly deployedMs: number;
  readonly results: readonly CheckResult[];
  readonly logs: readonly string[];
}

/** @returns the exit code @throws CommandFailure if the stack could not be deployed */
export async function tryIt(stage: Stage): Promise<number> {
  const { account, stack, standing, flags } = stage;
  await requireBootstrap(account);
  const plan: Plan = {
    account,
    stackName: stack.name,
    price: priceOf(CHECKS.map(workOf)),
    checks: CHECKS.length,
    keep: flags.keep === true,
    standing: standing?.status,
  };
  stage.show(planText(plan));
  await stage.confirm("Deploy it?");
  const interrupted = interruption(() => {
    stage.terminal.tell(
      "\nInterrupted. This command first removes what it has deployed; a second Ctrl-C leaves it in place.",
    );
  });
  try {
    return await deployedAndGone(stage, plan, interrupted);
  } finally {
    interrupted.forget();
  }
}

async function deployedAndGone(stage: Stage, plan: Plan, interrupted: Interruption): Promise<number> {
  let tried: Tried = { outputs: {}, deployedMs: 0, results: [], logs: [] };
  let failure: CommandFailure | undefined;
  try {
    tried = await deployAndCheck(stage, interrupted.trying);
  } catch (error) {
    if (!interrupted.trying.aborted) failure = awsFailure("The stack is not deployed", error);
  }
  const cleared = plan.keep ? KEPT : await removeStack(stage, interrupted.clearing);
  const report: Report = { plan, ...tried, ...cleared, isInterrupted: interrupted.trying.aborted };
  if (failure !== undefined) {
    if (cleared.left.length === 0) throw failure;
    stage.terminal.tell(leftLines(cleared.left, plan).join("\n"));
    stage.terminal.tell(failureText(failure, stage.flags.json === true));
    return EXIT_LEFT;
  }
  const { print, colours } = stage.terminal;
  print(stage.flags.json === true ? JSON.stringify(reportBody(report), null, 2) : resultsText(colours, report));
  return exitCodeOf(report);
}

const KEPT = { destroyedMs: undefined, left: [] };

async function deployAndCheck(stage: Stage, signal: AbortSignal): Promise<Tried> {
  const startedMs = performance.now();
  const { stack, terminal } = stage;
  const outputs = await stage.during("Deploying", (onProgress) => stack.deploy(onProgress, signal));
  const deployedMs = Math.round(performance.now() - startedMs);
  terminal.tell(`Deployed after ${Math.round(deployedMs / 1000)} s.`);
  const plane = planeOf(stage, outputs);
  const results = await stage.during("Checking", (onProgress) =>
    smokeTest(CHECKS, plane, signal, ({ name, outcome }) => onProgress(`${name}: ${outcome}`)),
  );
  const hasFailed = results.some(({ outcome }) => outcome === "failed");
  return { outputs, deployedMs, results, logs: hasFailed ? await logTail(stack) : [] };
}

function planeOf({ tools, endpoint, account }: Stage, { IngressUrl = "", AdminUrl = "" }: Outputs): Plane {
  const [ingress, admin] = [IngressUrl, AdminUrl].map((url) =>
    apiClient(url, account.region, endpoint === undefined ? undefined : tools.localApi(url, endpoint)),
  );
  return new Plane(ingress!, admin!, randomBytes(RUN_BYTES).toString("hex"));
}

function exitCodeOf({ isInterrupted, results, left, destroyedMs, plan }: Report): number {
  if (left.length > 0 || (destroyedMs === undefined && !plan.keep)) return EXIT_LEFT;
  if (isInterrupted) return EXIT_INTERRUPTED;
  return results.every(({ outcome }) => outcome === "passed") ? EXIT_OK : EXIT_FAILED;
}
