/** Declares one set of tests, called rows, for the SDKs of other languages. The SDK of each language must pass every row. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { counterRows } from "./counter-rows.ts";
import { greeterRows } from "./greeter-rows.ts";
import { SDK_FACTS } from "./sdk-facts.ts";
import { onEachSdk, type SdkStage } from "./sdk-stage.ts";
import { signupRows } from "./signup-rows.ts";

const PAGE = join(import.meta.dirname, "../../docs/compatibility.md");

onEachSdk((stage) => {
  discoveryRows(stage);
  greeterRows(stage);
  counterRows(stage);
  signupRows(stage);
});

function discoveryRows({ sdk, mode, elsewhere, client }: SdkStage): void {
  const { title, sdkVersion, protocolVersions, agreedVersion } = SDK_FACTS[sdk]!;
  const [least, most] = protocolVersions;
  describe("discovery", () => {
    test("the deployment is listed with its SDK, its mode and its protocol versions", async () => {
      const { body } = await client().admin("/deployments");
      const listed = (body as { deployments: readonly object[] }).deployments;
      expect(listed).toContainEqual(
        expect.objectContaining({
          protocol_type: mode.overHttp11 ? "RequestResponse" : "BidiStream",
          http_version: mode.overHttp11 ? "HTTP/1.1" : "HTTP/2.0",
          sdk_version: sdkVersion,
          min_protocol_version: least,
          max_protocol_version: most,
        }),
      );
    });
    test.skipIf(elsewhere)("an invocation uses the highest version that SDK and control plane both speak", async () => {
      const { invocationId } = await client().post("/Greeter/greet", "Ada");
      const { body } = await client().admin(`/invocations/${invocationId}`);
      expect(body).toMatchObject({ pinned_service_protocol_version: agreedVersion });
    });
    test("docs/compatibility.md states the versions of the SDK", () => {
      const row = `| ${title} | \`${sdkVersion}\` | ${least} to ${most} | ${agreedVersion} |`;
      expect(readFileSync(PAGE, "utf8")).toContain(row);
    });
  });
}
