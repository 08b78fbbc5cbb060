/** Updates of a deployment on Lambda in place: only an update to another version of the same function keeps the headers. */
import { expect, onTestFinished, test } from "vitest";
import { register } from "../../../shared/engine/register/register.ts";
import {
  HeadersElsewhereError,
  type UpdateRequest,
  updateDeployment,
} from "../../../shared/engine/register/change-deployments.ts";
import { openAdminPlane } from "../../api/admin/admin-plane.ts";
import { functionWith } from "../../harness/engine/answering-function.ts";

const SHOP = "arn:aws:lambda:eu-west-1:123456789012:function:shop";
const ROLE = "arn:aws:iam::123456789012:role/caller";
const MANIFEST = {
  protocolMode: "REQUEST_RESPONSE",
  minProtocolVersion: 5,
  maxProtocolVersion: 7,
  services: [{ name: "Shop", ty: "SERVICE", handlers: [{ name: "buy" }] }],
};

test("an update to another version of a function keeps the stored headers, and an update to another function is refused unless it names the headers", async () => {
  const plane = await openAdminPlane();
  onTestFinished(() => plane.close());
  const { asked, endpoints } = functionWith(MANIFEST);
  const engine = { ...plane.engine, endpoints };
  const how = { metadata: {}, force: false, breaking: false, dryRun: false, assumeRoleArn: ROLE };
  const { deployment } = await register(engine, { ...how, arn: `${SHOP}:1`, additionalHeaders: { "x-key": "canary" } });
  const update = async (request: Partial<UpdateRequest>) => {
    const updated = await updateDeployment(engine, deployment.id, { rule: "address", dryRun: false, ...request });
    return { destination: updated!.destination, additionalHeaders: updated!.additionalHeaders };
  };
  const at = (arn: string) => ({ kind: "lambda", arn, assumeRoleArn: ROLE });

  expect(await update({ arn: `${SHOP}:2` })).toEqual({
    destination: at(`${SHOP}:2`),
    additionalHeaders: { "x-key": "canary" },
  });
  const other = `${SHOP.replace("123456789012", "999999999999")}:2`;
  const before = asked.length;
  await expect(update({ arn: other })).rejects.toThrow(HeadersElsewhereError);
  await expect(update({ arn: other, dryRun: true })).rejects.toThrow(
    /x-key\) for arn:aws:lambda:eu-west-1:123456789012/,
  );
  expect(asked.length).toBe(before);
  expect(await update({ arn: other, additionalHeaders: {} })).toEqual({
    destination: at(other),
    additionalHeaders: {},
  });
});
