/** A schedule as a resource of a stack, with a running control plane. */
import { beforeEach, expect, test } from "vitest";
import type { ResourceEvent } from "../../../functions/lambda/custom-resource.ts";
import { adminClient } from "../../../functions/registrar/admin-client.ts";
import { scheduleResource } from "../../../functions/registrar/schedule-resource.ts";
import { openStage, type ErrorStage } from "../../errors/stage.ts";
import { serveHandlers } from "../../e2e-aws/url-deployment.ts";

const ROLE = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "ASIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "an example" };
const act = scheduleResource((adminUrl) => adminClient(adminUrl, ROLE));
const NIGHTLY = { service: "Reports", handler: "nightly", cron: "0 2 * * *" };

let stage: ErrorStage;
beforeEach(async () => {
  stage = await openStage({ "admin.auth": "off" });
  await stage.register(await serveHandlers("Reports", { nightly: async () => "done" }));
});

const event = (RequestType: ResourceEvent["RequestType"], Name: string, request: object, more = {}): ResourceEvent => ({
  RequestType,
  ResponseURL: "",
  StackId: "",
  RequestId: "",
  LogicalResourceId: "",
  ResourceProperties: { AdminUrl: stage.local.adminUrl, Name, Schedule: JSON.stringify(request) },
  ...more,
});

const names = async (): Promise<readonly string[]> => {
  const { body } = await stage.admin("GET", "schedules");
  return (body["schedules"] as readonly { readonly name: string }[]).map(({ name }) => name);
};

test("a schedule is made, changed, renamed and deleted with its stack", async () => {
  expect(await act(event("Create", "nightly", NIGHTLY))).toEqual({ physicalId: "nightly" });
  expect(await act(event("Update", "nightly", { ...NIGHTLY, overlap: "allow" }))).toEqual({ physicalId: "nightly" });
  expect(await act(event("Update", "later", NIGHTLY))).toEqual({ physicalId: "later" });
  await act(event("Delete", "nightly", NIGHTLY, { PhysicalResourceId: "nightly" }));
  expect(await names()).toEqual(["later"]);
  await act(event("Delete", "later", NIGHTLY, { PhysicalResourceId: "later" }));
  await act(event("Delete", "later", NIGHTLY, { PhysicalResourceId: "later" }));
  expect(await names()).toEqual([]);
});

test("a refused schedule fails the stack with the sentence of the refusal", async () => {
  const bad = act(event("Create", "nightly", { ...NIGHTLY, cron: "never" }));
  await expect(bad).rejects.toThrow(/the schedule nightly is not made: \[META0901\].*'never'/);
});
