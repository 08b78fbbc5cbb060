/** Deploys the stack, runs the checks, and destroys the stack at the end, unless the user wants to keep it. */
import { randomBytes } from "node:crypto";
import { failureText, type CommandFailure } from "../../functions/cli/text/command-failure.ts";
import { apiClient } from "./api-client.ts";
import { requireBootstrap } from "./account.ts";
import { awsFailure } from "./aws-failure.ts";
import { CHECKS, workOf } from "./checks.ts";
import { removeStack } from "./clear-up.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_LEFT, EXIT_OK } from "./exit-codes.ts";
import { interruption, type Interruption } from "./interruption.ts";
import { Plane } from "./plane.ts";
import { priceOf } from "./price.ts";
import { leftLines, planText, reportBody, resultsText, type Plan, type Report } from "./report.ts";
import { smokeTest, type CheckResult } from "./smoke-test.ts";
import type { Stage } from "./stage.ts";
import type { Outputs, TryStack } from "./try-stack.ts";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { LOG_GROUP } from "./leftovers.ts";

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

const SINCE_MS = 5 * 60_000;
const LINES_MAX = 5;
const LINE_MAX_CHARACTERS = 400;
const TOLD_OF_EACH = /"event":"(request\.answered|wake\.received)"/;
/** Lines that explain no failure: lines about each call, Node's warnings, metrics. */
const CHATTER = new RegExp(
  `^(INIT_START|START|END|REPORT)\\b|^\\((node:\\d+|Use \`node)|"_aws"|${TOLD_OF_EACH.source}`,
);

/** @returns the name of each log followed by its lines; or one line with the reason why the logs are unreadable */
async function logTail(stack: TryStack): Promise<readonly string[]> {
  const client = new CloudWatchLogsClient({});
  try {
    const groups = (await stack.parts()).filter(({ type }) => type === LOG_GROUP);
    return (await Promise.all(groups.map(({ name }) => tailOf(client, name)))).flat();
  } catch (error) {
    return [`the logs cannot be read: ${(error as Error).message}`];
  } finally {
    client.destroy();
  }
}

async function tailOf(client: CloudWatchLogsClient, group: string): Promise<readonly string[]> {
  const request = new FilterLogEventsCommand({ logGroupName: group, startTime: Date.now() - SINCE_MS });
  const { events = [] } = await client.send(request);
  const lines = events.map(({ message = "" }) => message.trim()).filter((line) => line !== "" && !CHATTER.test(line));
  const last = lines.slice(-LINES_MAX).map((line) => `  ${line.slice(0, LINE_MAX_CHARACTERS)}`);
  return last.length === 0 ? [] : [group, ...last];
}
