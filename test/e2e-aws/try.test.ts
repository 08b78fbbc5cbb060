/** `npm run try`, run as a reader runs it: it deploys, checks, destroys, and leaves nothing, even if it is interrupted. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { CloudFormationClient, ListStacksCommand } from "@aws-sdk/client-cloudformation";
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListFunctionsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetParametersByPathCommand, SSMClient } from "@aws-sdk/client-ssm";
import { beforeAll, describe, expect, test } from "vitest";
import { aws, countOne, until } from "./control-plane.ts";

const ROOT = join(import.meta.dirname, "../..");
const { accessKeyId, secretAccessKey } = aws.plain.credentials;
const place = {
  endpoint: aws.endpoint,
  region: "us-east-1",
  credentials: { accessKeyId, secretAccessKey },
};

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly told: string;
}

interface Running {
  readonly interrupt: () => void;
  readonly ended: Promise<Ended>;
}

interface ReportBody {
  readonly stack: string;
  readonly price_usd: number;
  readonly checks: readonly { readonly name: string; readonly outcome: string; readonly seen: string }[];
  readonly interrupted: boolean;
  readonly destroyed_ms: number | null;
  readonly left: readonly string[];
}

function start(args: readonly string[], more: Readonly<Record<string, string>> = {}): Running {
  const env = { ...process.env, AWS_ENDPOINT_URL: aws.endpoint, ...more };
  const child = spawn(process.execPath, ["infra/try/start.mjs", ...args], { cwd: ROOT, env });
  let [out, told] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (told += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number, out, told }));
  return { interrupt: () => void child.kill("SIGINT"), ended };
}

const run = (args: readonly string[], more?: Readonly<Record<string, string>>): Promise<Ended> =>
  start(args, more).ended;

const cloud = new CloudFormationClient(place);

async function statusOf(stack: string): Promise<string | undefined> {
  const { StackSummaries = [] } = await cloud.send(new ListStacksCommand({}));
  const found = StackSummaries.filter(({ StackName }) => StackName === stack).map(({ StackStatus }) => StackStatus);
  return found.find((status) => status !== "DELETE_COMPLETE");
}

/** Finds leftovers in other ways than the command does. */
async function remains(stack: string): Promise<readonly string[]> {
  const begins = (name: string | undefined): name is string => name?.includes(stack) === true;
  const { TableNames = [] } = await new DynamoDBClient(place).send(new ListTablesCommand({}));
  const { Functions = [] } = await new LambdaClient(place).send(new ListFunctionsCommand({ MaxItems: 1000 }));
  const { logGroups = [] } = await new CloudWatchLogsClient(place).send(new DescribeLogGroupsCommand({}));
  const below = new GetParametersByPathCommand({ Path: "/stepwell", Recursive: true, MaxResults: 10 });
  const { Parameters = [] } = await new SSMClient(place).send(below);
  const names = [...Functions.map((one) => one.FunctionName), ...logGroups.map((group) => group.logGroupName)];
  return [...TableNames, ...names, ...Parameters.map(({ Name }) => Name), await statusOf(stack)].filter(begins);
}

describe("a run", () => {
  let ended: Ended;
  let report: ReportBody;
  beforeAll(async () => {
    ended = await run(["--yes", "--json", "--name", "E2eTry"]);
    report = JSON.parse(ended.out) as ReportBody;
    for (const _ of report.checks) countOne("request");
  });

  test("prints its place, stack, time and price before it begins", () => {
    const [plan] = ended.told.split("Deploying");
    expect(plan).toContain(
      "Account 000000000000, Region us-east-1, as arn:aws:iam::000000000000:root\nStack   E2eTry\n",
    );
    expect(plan).toMatch(/^Takes .+ minutes to deploy.+estimate/m);
    expect(plan).toContain(`${report.price_usd.toFixed(4)} dollars for an hour of it`);
  });

  test("passes every check, and ends with 0", () => {
    console.log(report.checks.map(({ name, seen }) => `${name}: ${seen}`).join("\n"));
    expect(report.checks.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(report.checks.length).toBeGreaterThan(10);
    expect(ended.code).toBe(0);
  });

  test("leaves nothing", async () => {
    expect(report).toMatchObject({ stack: "E2eTry", interrupted: false, left: [] });
    expect(report.destroyed_ms).toBeGreaterThan(0);
    expect(await remains("E2eTry")).toEqual([]);
  });
});

test("a run that is interrupted while it deploys destroys its stack, and says so", async () => {
  const running = start(["--yes", "--name", "E2eBroken"]);
  try {
    await until("the stack is begun", () => statusOf("E2eBroken"));
  } finally {
    running.interrupt();
  }
  const { code, out, told } = await running.ended;
  expect(told).toContain("Interrupted.");
  expect(out).toContain("The stack E2eBroken is gone");
  expect(code).toBe(130);
  expect(await remains("E2eBroken")).toEqual([]);
});

describe("a run that cannot begin ends with a reason and a remedy, before it makes anything", () => {
  test("without a confirmation", async () => {
    const { code, told } = await run(["--name", "E2eNever"]);
    expect([code, told]).toEqual([4, expect.stringContaining("Pass --yes")]);
  });

  test("with credentials that AWS refuses", async () => {
    const { code, told } = await run(["--yes", "--json"], {
      AWS_ACCESS_KEY_ID: "AKIANOBODYKNOWSTHIS1",
      AWS_SECRET_ACCESS_KEY: "wrong",
    });
    const { error } = JSON.parse(told) as { readonly error: { readonly message: string; readonly exit_code: number } };
    expect([code, error]).toEqual([
      3,
      expect.objectContaining({ message: "AWS does not know the credentials", exit_code: 3 }),
    ]);
  });

  test("without a CDK bootstrap", async () => {
    // If an access key id has twelve digits, the emulator takes it as the id of a separate account.
    const { code, told } = await run(["--yes"], { AWS_ACCESS_KEY_ID: "111122223333", AWS_SECRET_ACCESS_KEY: "test" });
    expect([code, told]).toEqual([3, expect.stringContaining("cdk bootstrap aws://111122223333/us-east-1")]);
  });

  test("with a stack of another origin", async () => {
    const { code, told } = await run(["--destroy", "--yes", "--name", "StepwellE2e"]);
    expect([code, told]).toEqual([3, expect.stringContaining("did not make")]);
    expect(await statusOf("StepwellE2e")).toMatch(/_COMPLETE$/);
  });
});

test("a destroy without a stack says that it has found nothing", async () => {
  const { code, out } = await run(["--destroy", "--yes", "--name", "E2eNever"]);
  expect([code, out]).toEqual([0, expect.stringContaining("Nothing of it is left.")]);
});
