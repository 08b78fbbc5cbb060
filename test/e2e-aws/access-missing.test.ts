/** Tests missing permissions: what each caller is shown, and the recovery after the grant. */
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { AddPermissionCommand, LambdaClient, RemovePermissionCommand } from "@aws-sdk/client-lambda";
import { aws, ControlPlane, until, type SentInvocation } from "./control-plane.ts";
import { functionNames, processesOf, signal } from "./function-processes.ts";
import { sweep } from "./hints.ts";
import { createRole, grantTo, roleOf, takeAway } from "./identities.ts";

const GRANT = /aws lambda add-permission --function-name (\S+) --statement-id (\S+) --action (\S+) --principal (\S+)/;

const JSON_BODY = { "content-type": "application/json" };

const plane = new ControlPlane(aws.plain);
const lambda = new LambdaClient({});
const roles = {} as Record<"ingress" | "admin" | "worker" | "sweeper", string>;

beforeAll(async () => {
  await plane.register({ arn: aws.handlerArn });
  const [ingress, admin, worker, sweeper] = await Promise.all(functionNames(aws.plain).map(roleOf));
  Object.assign(roles, { ingress, admin, worker, sweeper });
});

/** Removes the permission until the end of the test or until the returned function is called. */
async function without(action: string, ...roleNames: readonly string[]): Promise<() => Promise<void>> {
  const ends = await Promise.all(roleNames.map((role) => takeAway(role, action)));
  const giveBack = async () => void (await Promise.all(ends.map((end) => end())));
  onTestFinished(giveBack);
  return giveBack;
}

/** Discovers the function in a dry run. */
const discover = (more: object = {}) =>
  plane.postAdmin("/deployments", { arn: aws.handlerArn, force: true, dry_run: true, ...more });

test("a refused registration names the command that grants the call, and the command works", async () => {
  const giveBack = await without("lambda:InvokeFunction", roles.admin);
  const { status, text } = await discover();
  const { message, restate_code: code } = JSON.parse(text) as {
    readonly message: string;
    readonly restate_code: string;
  };
  expect([status, code]).toEqual([500, "META0003"]);
  expect(message).toContain("lambda:InvokeFunction is missing");
  const [, FunctionName, StatementId, Action, Principal] = GRANT.exec(message)!;
  expect(FunctionName).toBe(aws.handlerArn);
  expect(Principal).toBe(`arn:aws:iam::000000000000:role/${roles.admin}`);

  await lambda.send(new AddPermissionCommand({ FunctionName, StatementId, Action, Principal }));
  onTestFinished(async () => {
    await lambda.send(new RemovePermissionCommand({ FunctionName, StatementId })).catch(() => undefined);
  });
  expect((await discover()).status).toBe(200);
  await lambda.send(new RemovePermissionCommand({ FunctionName, StatementId }));
  expect((await discover()).status).toBe(500);
  await giveBack();
  expect((await discover()).status).toBe(200);
});

test("an invocation whose function may no longer be called shows the whole reason, and goes on once the call is granted", async () => {
  const giveBack = await without("lambda:InvokeFunction", roles.ingress, roles.worker);
  const id = await plane.send("fn/greet", "Ada");
  const [failure] = await until("it has failed", async () => {
    const { events } = await plane.shown(id);
    return events.length > 0 ? events : undefined;
  });
  const [, FunctionName, , , Principal] = GRANT.exec(failure!.message)!;
  expect(FunctionName).toBe(aws.handlerArn);
  expect([roles.worker, roles.ingress].map((role) => `arn:aws:iam::000000000000:role/${role}`)).toContain(Principal);
  await giveBack();
  expect(await plane.result(id)).toBe("hello Ada");
});

test("the refusal of a role names the setting that allows the role, and the trust that the role needs", async () => {
  const { status, text } = await discover({ assume_role_arn: "arn:aws:iam::000000000000:role/shop" });
  expect([status, JSON.parse(text)]).toEqual([500, expect.objectContaining({ restate_code: "META0003" })]);
  expect(text).toContain("sts:AssumeRole is missing. Name the role in assumableRoleArns");
  expect(text).toContain(`let it trust arn:aws:iam::000000000000:role/${roles.admin}`);
});

test("a role of another owner calls the function once the admin function may assume the role and the role trusts this control plane", async () => {
  const own = `arn:aws:iam::000000000000:role/${roles.admin}`;
  const calling = [{ Effect: "Allow", Action: "lambda:InvokeFunction", Resource: aws.handlerArn }] as const;
  const stranger = await createRole(own, "of another control plane", calling);
  const idle = await createRole(own, "StepwellE2e", [{ ...calling[0], Action: "lambda:GetFunction" }]);
  const caller = await createRole(own, "StepwellE2e", calling);
  const statusAs = async ({ arn }: { readonly arn: string }) => (await discover({ assume_role_arn: arn })).status;
  expect(await statusAs(caller)).toBe(500);

  const Resource = [stranger, idle, caller].map(({ arn }) => arn);
  onTestFinished(await grantTo(roles.admin, [{ Effect: "Allow", Action: "sts:AssumeRole", Resource }]));
  expect(await statusAs(stranger)).toBe(500);
  const { status, text } = await discover({ assume_role_arn: idle.arn });
  expect([status, GRANT.exec(text)?.[4]]).toEqual([500, idle.arn]);
  expect(await statusAs(caller)).toBe(200);
});

test("an operator sees which permission of the table is missing", async () => {
  await without("dynamodb:DeleteItem", roles.admin);
  const id = await plane.send("fn/greet", "Bob");
  await plane.result(id);
  const { status, text } = await plane.askAdmin({ method: "PATCH", path: `/invocations/${id}/purge` });
  expect(status).toBe(503);
  expect(text).toContain("not authorized to perform: dynamodb:DeleteItem");
});

test.each([
  ["dynamodb:PutItem", "of the table"],
  ["sqs:SendMessage", "of the queue"],
])("a caller does not see that %s %s is missing, only that a retry is safe, and the retry succeeds", async (action) => {
  const giveBack = await without(action, roles.ingress);
  const key = { "idempotency-key": `without-${action}` };
  const refused = await plane.call("fn/greet", "Eve", key);
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text)).toMatchObject({ code: 503, source: "ingress" });
  expect(refused.text).toContain("a retry with the same idempotency key is safe");
  expect(refused.text).not.toMatch(/arn:|AccessDenied|dynamodb|sqs|Role/i);
  await giveBack();
  // If only the queue refused the first call, its invocation has no wake, and the sweeper has to find the invocation.
  const sent = await plane.ask({
    method: "POST",
    path: "/fn/greet/send",
    headers: { ...JSON_BODY, ...key },
    body: '"Eve"',
  });
  const { invocationId: id } = JSON.parse(sent.text) as SentInvocation;
  const output = { path: `/restate/invocation/${id}/output` };
  const { text } = await until(`${id} has run`, async () => {
    await sweep(aws.plain);
    const answer = await plane.ask(output);
    return answer.status === 200 ? answer : undefined;
  });
  expect(JSON.parse(text)).toBe("hello Eve");
});

test.runIf(aws.emulatorPid !== 0)(
  "a function that may not read its keys does not start, and names the missing permission",
  async () => {
    const giveBack = await without("ssm:GetParameter", roles.sweeper);
    signal(processesOf([aws.plain.outputs["SweeperFunction"]!]), "SIGKILL");
    const told = await until("it fails at its start", async () => {
      const outcome = await sweep(aws.plain).then(() => "it ran", String);
      // An early request still reaches the killed process.
      return outcome.includes("process died") ? undefined : outcome;
    });
    expect(told).toContain("ssm:GetParameter");
    await giveBack();
    await expect(sweep(aws.plain)).resolves.toBeDefined();
  },
);
