/** Concurrent writes of a lease record while the sweeper notes the invocation in the open index. */
import { expect, test } from "vitest";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { writesHold } from "../../harness/engine/hold-writes.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;

test("if the sweeper notes an invocation between a process's load and its claim, the note stays in the open index, and the sweeper finds it if the process dies", async () => {
  const stage = await open({ late: () => "done" });
  const { invocationId } = await sendOn(stage.actor(), "late");
  await stage.pulse.pass(5 * MINUTE_MS);
  const [first, second] = [stage.actor(), stage.actor()];
  stage.deployment.instead = () => first.die() as undefined;
  first.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  // The sweeper notes the invocation between the second worker's read and claim. The sweeper's message goes out after
  // the claim.
  const [sweeper, noted, claimed] = [stage.actor(), new Gate(), new Gate()];
  sweeper.process.before = ({ port }) => {
    if (port !== "queue") return undefined;
    noted.open();
    return claimed.passed;
  };
  let claims = 0;
  second.process.before = (call) => {
    if (!writesHold(call) || claims++ > 0) return undefined;
    void sweepOnce(sweeper.engine);
    return noted.passed;
  };
  stage.deployment.instead = () => {
    second.die();
    claimed.open();
    return undefined;
  };
  second.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  expect([claims > 0, stage.deployment.of("late").length]).toEqual([true, 2]);
  stage.deployment.instead = undefined;
  await stage.wipeHints();
  const worker = stage.actor();
  worker.startWorker();
  await stage.pulse.pass(10 * MINUTE_MS);
  await stage.pulse.within(1_000, sweepOnce(worker.engine));
  await stage.pulse.pass(1_000);
  expect(await stage.pulse.within(0, output(worker.engine, invocationId))).toMatchObject({ kind: "ended" });
});

test("if the sweeper writes a note with the token of a lease after that lease is over, the note stays in the open index, even if a process that loaded the invocation before the note claims it", async () => {
  const stage = await open({ late: () => "done" });
  const { invocationId } = await sendOn(stage.actor(), "late");
  await stage.pulse.pass(5 * MINUTE_MS + 1_000);
  const [first, second, sweeper] = [stage.actor(), stage.actor(), stage.actor()];
  stage.deployment.instead = () => first.die() as undefined;
  first.startWorker();
  await stage.pulse.pass(1_000);
  const [claims, noted] = [new Gate(), new Gate()];
  // The sweeper has read while the lease was alive; its note waits until the second worker has read too.
  sweeper.process.before = (call) => {
    if (writesHold(call)) return claims.passed;
    if (call.port === "queue") noted.open();
    return undefined;
  };
  void sweepOnce(sweeper.engine).then(() => noted.open());
  await stage.pulse.pass(100);
  let writes = 0;
  second.process.before = (call) => {
    if (!writesHold(call) || writes++ > 0) return undefined;
    claims.open();
    return noted.passed;
  };
  stage.deployment.instead = () => second.die() as undefined;
  second.startWorker();
  await stage.pulse.pass(3 * LEASE_MS);
  expect([writes, stage.deployment.of("late").length]).toEqual([1, 2]);
  const pk = `inv#${invocationId}`;
  const holds = async () => (await stage.stores.table.query(pk, { from: "hold#", below: "hold$" })).items;
  expect(await holds()).toMatchObject([
    { status: "running", openSk: expect.any(String), lookAtMs: expect.any(Number) },
  ]);
  stage.deployment.instead = undefined;
  await stage.wipeHints();
  const worker = stage.actor();
  worker.startWorker();
  for (let passes = 0; passes < 3; passes++) {
    await stage.pulse.pass(10 * MINUTE_MS);
    await stage.pulse.within(1_000, sweepOnce(worker.engine));
  }
  await stage.pulse.pass(1_000);
  expect(await stage.pulse.within(0, output(worker.engine, invocationId))).toMatchObject({ kind: "ended" });
});
