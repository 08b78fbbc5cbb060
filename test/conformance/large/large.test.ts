/** Large payloads and long journals with the real SDK: the right result, in few attempts. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import type { Deployment } from "../deployment.ts";
import { PROTOCOL_VERSIONS } from "../offered-version.ts";
import { measured } from "./memory.ts";
import { startSeparateDeployment } from "./separate-deployment.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const MIB = 1024 * 1024;

describe.each(PROTOCOL_VERSIONS)("V%i", (version) => {
  let deployment: Deployment | undefined;
  let controlPlane: ControlPlane | undefined;
  beforeAll(async () => {
    deployment = await startSeparateDeployment(version);
    controlPlane = await startControlPlane();
    await controlPlane.register(deployment);
  });
  afterAll(async () => {
    await controlPlane?.stop();
    await deployment?.stop();
  });

  async function post(path: string, body: string | Uint8Array<ArrayBuffer>) {
    const type = typeof body === "string" ? "application/json" : "application/octet-stream";
    const headers = { "content-type": type };
    const response = await fetch(controlPlane!.ingressUri + path, { method: "POST", headers, body });
    const answer = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${answer.toString("utf8", 0, 300)}`);
    return { answer, invocationId: response.headers.get("x-restate-id") ?? "" };
  }

  const asked = async (path: string, input: unknown): Promise<unknown> =>
    JSON.parse((await post(path, JSON.stringify(input))).answer.toString());

  const attemptsOf = async (invocationId: string) => (await asked("/Leaf/attempts", invocationId)) as number;

  test("a journal of 10,000 entries needs at most 20 attempts", async () => {
    const shape = { rounds: 15, beside: 340 };
    const row = `V${version} 15 rounds of 340 parallel runs`;
    const { answer, invocationId } = await measured(row, () => post("/Large/runs", JSON.stringify(shape)));
    expect(answer.toString()).toBe(String((15 * 340 * 339) / 2));
    const view = await fetch(`${controlPlane!.adminUri}/invocations/${invocationId}`);
    expect(((await view.json()) as { entries: unknown[] }).entries.length).toBeGreaterThan(10_000);
    expect(await attemptsOf(invocationId)).toBeLessThanOrEqual(20);
  });

  test("1,000 parallel calls need at most 20 attempts", async () => {
    const { answer, invocationId } = await measured(`V${version} 1,000 parallel calls`, () =>
      post("/Large/calls", "1000"),
    );
    expect(answer.toString()).toBe(String(1_000 * 999));
    expect(await attemptsOf(invocationId)).toBeLessThanOrEqual(20);
  });

  // Payloads are the same in every version, so only the newest version is tested.
  if (version < PROTOCOL_VERSIONS.at(-1)!) return;

  test.each([
    ["echo", 10, 1],
    ["echo", 31, 1],
    ["throughRun", 10, 2],
    ["throughRun", 31, 2],
    ["throughCall", 10, 2],
    ["throughCall", 31, 2],
  ])("%s of %i MiB returns the same bytes, in at most %i attempts", async (handler, size, attempts) => {
    const bytes = new Uint8Array(randomBytes(size * MIB));
    const row = `V${version} ${handler} of ${size} MiB`;
    const { answer, invocationId } = await measured(row, () => post(`/Large/${handler}`, bytes));
    expect(Buffer.compare(answer, bytes)).toBe(0);
    expect(await attemptsOf(invocationId)).toBeLessThanOrEqual(attempts);
  });

  test("each of 10,000 invocations that one attempt sends runs once", async () => {
    const { answer, invocationId } = await measured(`V${version} 10,000 sends, until all had run`, async () => {
      const sent = await post("/Large/sends", "10000");
      await expect.poll(() => asked("/Leaf/noted", null)).toEqual([10_000, 10_000]);
      return sent;
    });
    expect(answer.toString()).toBe("10000");
    expect(await attemptsOf(invocationId)).toBe(1);
  });
});
