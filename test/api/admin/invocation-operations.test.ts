/** Operations on invocations over the admin API: the answer to each outcome, the choices in the query, and refusals. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploymentIdFromBytes, invocationIdFromBytes, type InvocationId } from "../../../shared/core/model/ids.ts";
import type { DeploymentChoice, Restart, Resumption } from "../../../shared/engine/ports/submission.ts";
import { type AdminPlane, openAdminPlane } from "./admin-plane.ts";

const idOf = (n: number) => invocationIdFromBytes(Uint8Array.from({ length: 24 }, (_, i) => (i === 23 ? n : 1)));
const NEW = idOf(255);
const OTHER = deploymentIdFromBytes(new Uint8Array(16).fill(3));

/** A use case that answers the id `idOf(n)` with the n-th outcome, and any other id with the last. */
function saying<Said>(...said: readonly Said[]): (engine: unknown, id: InvocationId) => Promise<Said> {
  return async (_, id) => said.find((__, at) => idOf(at) === id) ?? said.at(-1)!;
}

const wrongVersion = { kind: "wrong-version", deploymentId: OTHER, version: 7, min: 5, max: 6 } as const;
const noDeployment = { kind: "unknown-deployment", asked: OTHER } as const;
const restarted = { kind: "restarted", invocationId: NEW } as const;

const chosen: (readonly [string, number | undefined, DeploymentChoice])[] = [];
const resume = saying<Resumption>(
  "done",
  "not-begun",
  "not-movable",
  "completed",
  noDeployment,
  wrongVersion,
  "unknown",
);
const restart = saying<Restart>(
  restarted,
  "not-begun",
  "open",
  "workflow",
  "no-journal",
  "input-only",
  "old-version",
  "not-whole",
  noDeployment,
  wrongVersion,
  "unknown",
);

let plane: AdminPlane;
beforeAll(async () => {
  plane = await openAdminPlane({
    cancel: saying("done", "noted", "completed", "unknown"),
    kill: saying("done", "completed", "unknown"),
    pause: saying("done", "noted", "completed", "unknown"),
    purge: saying("done", "open", "unknown"),
    purgeJournal: saying("done", "open", "unknown"),
    resume: async (engine, id, choice) => (chosen.push(["resume", undefined, choice]), await resume(engine, id)),
    restart: async (engine, id, from, choice) => (chosen.push(["restart", from, choice]), await restart(engine, id)),
  });
});
afterAll(() => plane.close());

describe("an operation on an invocation", () => {
  it.each([
    ["cancel", [200, 202, 409, 404]],
    ["kill", [200, 409, 404]],
    ["pause", [200, 202, 409, 404]],
    ["purge", [200, 409, 404]],
    ["purge-journal", [200, 409, 404]],
    ["resume", [200, 425, 409, 409, 400, 400, 404]],
    ["restart-as-new", [200, 425, 409, 422, 410, 422, 422, 400, 400, 400, 404]],
  ])("answers %s by its outcome", async (operation, statuses) => {
    const answers = await Promise.all(
      statuses.map((_, n) => plane.ask("PATCH", `/invocations/${idOf(n)}/${operation}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    for (const { status, json, text } of answers.slice(operation === "restart-as-new" ? 1 : 0)) {
      if (status < 300) expect(text).toBe("");
      else expect(json).toEqual({ message: expect.stringMatching(/\w+ \w+/), restate_code: null });
    }
  });

  it.each(["cancel", "kill", "pause", "resume", "purge", "purge-journal", "restart-as-new"])(
    "refuses to %s an invalid id",
    async (operation) => {
      const { status, json } = await plane.ask("PATCH", `/invocations/inv_nope/${operation}`);
      expect([status, json.message]).toEqual([400, expect.stringContaining("invocation_id")]);
    },
  );

  it("shows the id of the restarted invocation", async () => {
    const { json } = await plane.ask("PATCH", `/v3/invocations/${idOf(0)}/restart-as-new`);
    expect(json).toEqual({ new_invocation_id: NEW });
  });

  it.each<[string, string, number | undefined, DeploymentChoice]>([
    ["resume", "", undefined, { kind: "keep" }],
    ["resume", "?deployment=Keep", undefined, { kind: "keep" }],
    ["resume", "?deployment=latest", undefined, { kind: "latest" }],
    ["resume", `?deployment=${OTHER}`, undefined, { kind: "id", deploymentId: OTHER }],
    ["restart-as-new", "", 0, { kind: "latest" }],
    ["restart-as-new", "?from=12&deployment=keep", 12, { kind: "keep" }],
  ])("reads %s%s", async (operation, query, from, choice) => {
    chosen.length = 0;
    await plane.ask("PATCH", `/invocations/${idOf(0)}/${operation}${query}`);
    expect(chosen).toEqual([[operation.replace("-as-new", ""), from, choice]]);
  });

  it.each(["resume?deployment=newest", "resume?deployment=dp_1", "restart-as-new?from=-1", "restart-as-new?from=x"])(
    "refuses %s in plain text",
    async (operation) => {
      const { status, text, json } = await plane.ask("PATCH", `/invocations/${idOf(0)}/${operation}`);
      expect([status, json]).toEqual([400, undefined]);
      expect(text).toMatch(/^Failed to deserialize query string: /);
    },
  );

  it.each(["", "?mode=cancel", "?mode=Kill", "?mode=purge"])(
    "is accepted whatever its outcome: DELETE%s",
    async (query) => {
      for (const n of [0, 1, 2, 9])
        expect(await plane.ask("DELETE", `/invocations/${idOf(n)}${query}`)).toMatchObject({ status: 202, text: "" });
    },
  );

  it("is refused in an unknown mode", async () => {
    expect((await plane.ask("DELETE", `/invocations/${idOf(0)}?mode=forget`)).status).toBe(400);
  });
});

describe("an operation on many invocations", () => {
  const batch = (operation: string, body: unknown) =>
    plane.ask("POST", `/internal/invocations_batch_operations/${operation}`, body);

  it.each(["cancel", "kill", "pause", "resume", "purge", "purge-journal"])(
    "shows the outcome of %s for each",
    async (operation) => {
      const { status, json } = await batch(operation, { invocation_ids: [idOf(0), idOf(9)] });
      expect(status).toBe(200);
      const error = `The requested invocation '${idOf(9)}' does not exist`;
      expect(json).toEqual({ succeeded: [idOf(0)], failed: [{ invocation_id: idOf(9), error }] });
    },
  );

  it("shows which invocations a cancel ends later", async () => {
    const { json } = await batch("cancel", { invocation_ids: [idOf(0), idOf(1)] });
    expect(json).toEqual({ succeeded: expect.arrayContaining([idOf(0), idOf(1)]), failed: [], noted: [idOf(1)] });
  });

  it("shows which invocations are paused later", async () => {
    const { json } = await batch("pause", { invocation_ids: [idOf(0), idOf(1)] });
    expect(json).toEqual({ succeeded: expect.arrayContaining([idOf(0), idOf(1)]), failed: [], noted: [idOf(1)] });
  });

  it("shows the old and the new id of each", async () => {
    const { json } = await batch("restart-as-new", { invocation_ids: [idOf(0), idOf(1)], deployment: "Keep" });
    expect(json.succeeded).toEqual([{ old_invocation_id: idOf(0), new_invocation_id: NEW }]);
    expect(json.failed).toEqual([{ invocation_id: idOf(1), error: expect.stringContaining("has not begun") }]);
  });

  it.each<[string, string, unknown, number]>([
    ["an unknown operation", "forget", { invocation_ids: [] }, 404],
    ["a malformed id among others", "kill", { invocation_ids: [idOf(0), "inv_1"] }, 422],
    ["a malformed deployment", "resume", { invocation_ids: [], deployment: "newest" }, 422],
    ["a body without a list", "kill", {}, 422],
    ["more than a thousand", "kill", { invocation_ids: Array.from({ length: 1001 }, () => idOf(0)) }, 400],
  ])("refuses %s as a whole", async (_, operation, body, status) => {
    expect((await batch(operation, body)).status).toBe(status);
  });
});

describe("the list of invocations", () => {
  it.each([
    ["outcome=lost", "outcome: 'lost' is none of succeeded, failed, cancelled, killed"],
    ["status=gone", "status: 'gone' is none of open, scheduled"],
    ["order=up", "order: 'up' is neither newest nor oldest"],
    ["order=oldest&status=completed", "add status=open"],
    ["created_before=1w", "created_before: this is no moment"],
    ["details=maybe", "details: 'maybe' is neither true nor false"],
  ])("refuses %s", async (query, message) => {
    const { status, text } = await plane.ask("GET", `/invocations?${query}`);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });
});
