/** Provokes each META code, and compares the answer or message with its file in `seen`, whose text docs/errors.md shows. */
import { expect, onTestFinished, test } from "vitest";
import type { CodedError } from "../../shared/core/errors/coded-error.ts";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../shared/core/errors/error-table.ts";
import { refusesStart } from "../../shared/core/errors/error-entry.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { GREETER, startFrameDeployment } from "./frame-deployment.ts";
import { REFUSED_REGISTRATIONS, REFUSED_STARTS, TWO_HANDLERS } from "./provocations.ts";
import { openStage, type Answer, type ErrorStage } from "./stage.ts";

const REFUSED: Partial<Record<ErrorCode, (stage: ErrorStage) => Promise<Answer>>> = {
  ...Object.fromEntries(
    Object.entries(REFUSED_REGISTRATIONS).map(([code, prepare]) => [
      code,
      async (stage: ErrorStage) => {
        const { address, ...more } = await prepare(stage);
        const where = address.startsWith("arn:") ? { arn: address } : { uri: address };
        return await stage.admin("POST", "deployments", { ...where, ...more });
      },
    ]),
  ),
  META0009: (stage) =>
    stage.admin("POST", "subscriptions", { source: "kafka://main/orders", sink: "service://Greeter/greet" }),
  async META0016(stage) {
    const deployment = await startFrameDeployment();
    deployment.manifest = manifestOf([TWO_HANDLERS]);
    const { body } = await stage.register(deployment.uri);
    deployment.manifest = manifestOf([GREETER]);
    return await stage.admin("PUT", `deployments/${String(body["id"])}`);
  },
  META0901: (stage) =>
    stage.admin("PUT", "schedules/nightly", { service: "Reports", handler: "nightly", cron: "0 25 * * *" }),
  META0018: (stage) => stage.admin("GET", "deployments", undefined, { authorization: "Bearer of-another-server" }),
};

const REFUSING_START = ["META0010", "META0011"] as const;

/** Replaces ports, ids and paths, which differ from run to run. */
function steady(text: string): string {
  return text
    .replaceAll(/(127\.0\.0\.1):\d+/g, "$1:9080")
    .replaceAll(/\b(dp|sub)_1\w{22}/g, "$1_…")
    .replaceAll(/\/\S*\/(meta|admin-token)\b/g, "<data-dir>/$1");
}

const seen = (code: string): string => `./seen/${code}.txt`;

test.each(Object.entries(REFUSED))("%s refuses a request", async (name, provoke) => {
  const code = name as ErrorCode;
  const { status, body } = await provoke(await openStage());
  const { outcome, title } = ERRORS[code];
  expect(status).toBe(outcome.kind === "reject" && outcome.status);
  expect(body).toEqual({ message: expect.stringContaining(`[${code}] ${title}: `), restate_code: code });
  await expect(`${status} ${steady(JSON.stringify(body))}\n`).toMatchFileSnapshot(seen(code));
});

test.each(REFUSING_START)("%s refuses the start", async (code) => {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  await REFUSED_STARTS[code]!(dir);
  const refusal: unknown = await openStage({ "data-dir": dir }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code });
  expect(refusesStart(ERRORS[code].outcome)).toBe(true);
  await expect(`${steady((refusal as CodedError).message)}\n`).toMatchFileSnapshot(seen(code));
});

test("each META code has a provocation here", () => {
  const provoked = [...Object.keys(REFUSED), ...REFUSING_START];
  expect(new Set(provoked)).toEqual(new Set(ERROR_CODES.filter((code) => code.startsWith("META"))));
});
