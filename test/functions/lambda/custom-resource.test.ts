/** The answers of a custom resource to CloudFormation, sent to an address that takes them as S3 does. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { customResource, type ResourceEvent } from "../../../functions/lambda/custom-resource.ts";

interface Told {
  readonly method: string | undefined;
  readonly contentType: string | undefined;
  readonly answer: Readonly<Record<string, unknown>>;
}

let told: Told[];
let event: ResourceEvent;
let status: number;
let close: () => void;

beforeEach(async () => {
  told = [];
  status = 200;
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.once("end", () => {
      told.push({ method: request.method, contentType: request.headers["content-type"], answer: JSON.parse(text) });
      response.writeHead(status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  close = () => server.close();
  event = {
    RequestType: "Create",
    ResponseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/answer`,
    StackId: "stack",
    RequestId: "request",
    LogicalResourceId: "Keys",
    ResourceProperties: {},
  };
});
afterEach(() => close());

const SAME = { StackId: "stack", RequestId: "request", LogicalResourceId: "Keys" };

test("a success has the physical id and the attributes", async () => {
  await customResource(async () => ({ physicalId: "made", attributes: { Id: "dp_1" } }))(event);
  const answer = { ...SAME, Status: "SUCCESS", PhysicalResourceId: "made", Data: { Id: "dp_1" } };
  expect(told).toEqual([{ method: "PUT", contentType: "", answer }]);
});

test("a failure has the message of its error, cut to the displayed length, and the physical id of the resource", async () => {
  const fails = customResource(() => Promise.reject(new Error(`not so ${"x".repeat(5_000)}`)));
  await fails(event);
  await fails({ ...event, RequestType: "Update", PhysicalResourceId: "made" });
  expect(told.map(({ answer }) => answer)).toMatchObject([
    { ...SAME, Status: "FAILED", PhysicalResourceId: "never-made" },
    { ...SAME, Status: "FAILED", PhysicalResourceId: "made" },
  ]);
  for (const { answer } of told) expect(answer["Reason"]).toMatch(/^not so x{900,1000}$/);
});

test("an answer that cannot be delivered fails the function, so that its event comes again", async () => {
  status = 503;
  await expect(customResource(async () => ({ physicalId: "made" }))(event)).rejects.toThrow(/503/);
  expect(told).toHaveLength(1);
});
