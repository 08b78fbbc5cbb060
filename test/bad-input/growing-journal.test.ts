/** A handler that adds entries at each attempt and never ends: its journal stops at the maximum. */
import { expect, test } from "vitest";
import { COMMANDS } from "../../shared/core/protocol/commands.ts";
import { messageFrame } from "../../shared/core/protocol/frame.ts";
import { end, error, output, replying, startFrameDeployment } from "../errors/frame-deployment.ts";
import { openStage } from "../errors/stage.ts";

const AT_ONCE = 60_000;

test("a journal keeps its entries, and an attempt that would exceed the maximum fails", async () => {
  const stage = await openStage({ "default-retry-policy.max-attempts": "2" });
  const { code, type } = COMMANDS.Run;
  let begun = 0;
  const deployment = await startFrameDeployment((response, request) => {
    const runs = Array.from({ length: AT_ONCE }, () =>
      messageFrame(code, type, { resultCompletionId: ++begun, name: "step" }),
    );
    replying(...runs, error(500, "once more"))(response, request);
  });
  await stage.register(deployment.uri);
  const id = await stage.send("Greeter/greet");
  const { message } = await stage.lastFailure(id, "RT0012");
  expect(message).toMatch(/the journal would have more than 100000 entries/);
  deployment.script = replying(output("kept"), end());
  expect((await stage.admin("PATCH", `invocations/${id}/kill`)).status).toBe(200);
  expect(await stage.result(await stage.send("Greeter/greet"))).toBe("200 kept");
});
