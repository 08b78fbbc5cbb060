/** The limits and refusals of AWS: payloads of megabytes through gateway and function, and functions that may not be called. */
import { LambdaClient, PublishVersionCommand } from "@aws-sdk/client-lambda";
import type { Context } from "@restatedev/restate-sdk";
import { beforeAll, describe, expect, test } from "vitest";
import { UNPACKED_MAX_BYTES } from "../../shared/adapters/lambda/unpacked-body.ts";
import { aws, ControlPlane } from "./control-plane.ts";
import { STREAMING_HEADER, SWELLING_HEADER } from "./handlers/lambda-manners.ts";
import { noise } from "./handlers/noise.ts";
import { storedItems, type StoredItem } from "./stored-items.ts";
import { serveHandlers } from "./url-deployment.ts";

const MEGABYTE = 1024 * 1024;
/** The limit of DynamoDB. */
const ITEM_MAX_BYTES = 400 * 1024;
const plane = new ControlPlane(aws.plain);
const lambda = new LambdaClient({});

beforeAll(async () => {
  const uri = await serveHandlers("mirror", {
    echo: async (_ctx: Context, text: string) => text,
    shout: async (_ctx: Context, characters: number) => noise(characters),
  });
  await Promise.all([plane.register({ arn: aws.handlerArn }), plane.register({ uri })]);
});

describe.each(["fn", "mirror"])("three megabytes through %s", (service) => {
  test("go in and out of a call", async () => {
    const text = noise(3 * MEGABYTE);
    const answer = await plane.answer(`${service}/echo`, text);
    // The comparison is outside of `expect`, because `expect` would take minutes to print the difference of such texts.
    expect(answer === text).toBe(true);
  });

  test("go in and out of a send, which a worker drives", async () => {
    const text = noise(3 * MEGABYTE);
    const result = await plane.result(await plane.send(`${service}/echo`, text));
    expect(result === text).toBe(true);
  });
});

describe("a payload in the table", () => {
  test("is compressed if that makes it smaller, and is returned unchanged", async () => {
    const text = "again and again, ".repeat(4_000);
    const id = await plane.send("mirror/echo", text);
    expect((await plane.result(id)) === text).toBe(true);
    const items = await storedItems(aws.plain, id);
    expect(items.length).toBeGreaterThan(1);
    expect(sum(items)).toBeLessThan(text.length / 10);
  });

  test("is cut into pieces if it is incompressible, and a purge leaves none", async () => {
    const text = noise(MEGABYTE);
    const id = await plane.send("mirror/echo", text);
    expect((await plane.result(id)) === text).toBe(true);
    await plane.untilStatus(id, "completed");
    const items = await storedItems(aws.plain, id);
    // Input and output are both stored. Base64 text compresses to three quarters at best.
    expect(sum(items)).toBeGreaterThan(1.5 * text.length);
    expect(Math.max(...items.map(({ bytes }) => bytes))).toBeLessThan(ITEM_MAX_BYTES);
    expect(await plane.change(id, "purge")).toBe(200);
    expect(sum(await storedItems(aws.plain, id))).toBeLessThan(1_024);
  });
});

test("if a result is too large for the ingress, the caller gets an error and the result is kept", async () => {
  const id = await plane.send("mirror/shout", 7 * MEGABYTE);
  const { status, text } = await plane.attached(`invocation/${id}`);
  expect(status).toBe(500);
  expect(text).toMatch(/the result of \d+ bytes is larger than this ingress can return/);
  await plane.untilStatus(id, "completed");
  expect(sum(await storedItems(aws.plain, id))).toBeGreaterThan(5 * MEGABYTE);
});

describe("a function on Lambda", () => {
  test("whose answer is too large for Lambda pauses its invocation with the reason", async () => {
    const id = await plane.send("fn/shout", 8 * MEGABYTE);
    await plane.untilStatus(id, "paused");
    const { last_failure: failure, attempts } = await plane.shown(id);
    expect(failure).toMatchObject({ error_code: "RT0019" });
    expect(failure?.message).toContain("Response payload size exceeded maximum allowed payload size");
    // One attempt: a retry would have the same answer.
    expect(attempts).toBe(1);
    expect(await plane.change(id, "kill")).toBe(200);
  });

  test("is not called with a journal that is too large for Lambda: the invocation pauses with the reason", async () => {
    const id = await plane.send("fn/hoard", { steps: 4, characters: 2 * MEGABYTE });
    await plane.untilStatus(id, "paused");
    const { last_failure: failure } = await plane.shown(id);
    expect(failure).toMatchObject({ error_code: "RT0019" });
    expect(failure?.message).toMatch(
      /content too large: the journal makes a call of \d+ bytes, and Lambda takes at most/,
    );
    expect(await plane.change(id, "kill")).toBe(200);
  });

  test("that the control plane may not call is refused: META0003 names the permission", async () => {
    const FunctionName = aws.plain.outputs["SweeperFunction"]!;
    const { FunctionArn: arn } = await lambda.send(new PublishVersionCommand({ FunctionName }));
    const { status, text } = await plane.postAdmin("/deployments", { arn });
    expect([status, JSON.parse(text)]).toEqual([500, expect.objectContaining({ restate_code: "META0003" })]);
    expect(text).toContain("AccessDenied");
    expect(text).toContain("lambda:InvokeFunction");
  });

  test("that does not exist is refused", async () => {
    const arn = aws.handlerArn.replace(/:\d+$/, ":4711");
    const { status, text } = await plane.postAdmin("/deployments", { arn });
    expect([status, JSON.parse(text)]).toEqual([500, expect.objectContaining({ restate_code: "META0003" })]);
  });

  test("whose manifest asks for streaming is refused: META0015", async () => {
    const additional_headers = { [STREAMING_HEADER]: "yes" };
    const { status, text } = await plane.postAdmin("/deployments", {
      arn: aws.handlerArn,
      additional_headers,
      force: true,
    });
    expect([status, JSON.parse(text)]).toEqual([500, expect.objectContaining({ restate_code: "META0015" })]);
  });

  test("whose answer of a few KB would unpack to more than the limit is refused, and its answer is not unpacked", async () => {
    const swelling = (bytes: number) => ({
      arn: aws.handlerArn,
      additional_headers: { [SWELLING_HEADER]: String(bytes) },
      force: true,
    });
    const { status, text } = await plane.postAdmin("/deployments", swelling(UNPACKED_MAX_BYTES + 1));
    // Stepwell unpacks an answer only while it reads, and it reads no more than the largest manifest.
    expect([status, JSON.parse(text)]).toEqual([500, expect.objectContaining({ restate_code: "META0013" })]);
    expect(text).toContain("is larger than");
    const { text: other } = await plane.postAdmin("/deployments", swelling(1_000));
    expect(other).not.toContain("is larger than");
  });
});

function sum(items: readonly StoredItem[]): number {
  return items.reduce((total, { bytes }) => total + bytes, 0);
}
