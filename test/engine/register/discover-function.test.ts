/** Discovery of deployments on Lambda: by version or alias, in request-response mode, with their compression. */
import { expect, test } from "vitest";
import { CodedError } from "../../../shared/core/errors/coded-error.ts";
import { AddressError, discover } from "../../../shared/engine/register/discover.ts";
import { functionWith } from "../../harness/engine/answering-function.ts";

const ARN = "arn:aws:lambda:eu-west-1:123456789012:function:shop:live";
const MANIFEST = { protocolMode: "REQUEST_RESPONSE", minProtocolVersion: 5, maxProtocolVersion: 7, services: [] };

test("discovery calls a function by its qualified ARN, and registers exactly that ARN", async () => {
  const { asked, engine } = functionWith({ ...MANIFEST, lambdaCompression: "zstd" });
  const found = await discover(engine, { arn: ARN, additionalHeaders: {} });
  expect(asked.map(({ destination }) => destination)).toEqual([{ arn: ARN }]);
  expect(found.destination).toEqual({ kind: "lambda", arn: ARN, compression: "zstd" });
});

test("a function that requires the bidirectional mode is refused, because Lambda has no such transport", async () => {
  const { engine } = functionWith({ ...MANIFEST, protocolMode: "BIDI_STREAM" });
  const error: unknown = await discover(engine, { arn: ARN, additionalHeaders: {} }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CodedError);
  expect(error).toMatchObject({ code: "META0015" });
});

test("a function without a version is refused before any call", async () => {
  const { asked, engine } = functionWith(MANIFEST);
  const bare = ARN.replace(":live", "");
  await expect(discover(engine, { arn: bare, additionalHeaders: {} })).rejects.toThrow(AddressError);
  expect(asked).toEqual([]);
});
