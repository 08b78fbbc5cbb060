/** Every choice of a deployment for every state, restarted as new: the answer at each door, and where the new invocation runs. */
import { describe, expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { stages } from "../../harness/engine/stages.ts";
import { actionPath, actionsFor } from "../../../ui/model/invocation-actions.ts";
import { askAdmin, FIRST, hostOf, play, SECOND, STATES, type Scene, type State } from "./operated-scenes.ts";

const open = stages();

/** The query, and the number of the host on which the new invocation runs. */
const CHOICES = {
  "no deployment": { deployment: undefined, host: 2 },
  keep: { deployment: "keep", host: 1 },
  latest: { deployment: "latest", host: 2 },
  "the second id": { deployment: SECOND, host: 2 },
  "the first id": { deployment: FIRST, host: 1 },
} as const;
type Choice = keyof typeof CHOICES;

const DOORS = ["alone", "in bulk", "as the web UI asks"] as const;
type Door = (typeof DOORS)[number];

/** The HTTP status of a refusal, and words of its reason. */
function refusalOf(state: State): readonly [number, string] | undefined {
  if (state === "completed") return undefined;
  if (state === "unknown") return [404, "does not exist"];
  return state === "scheduled" ? [425, "has not begun"] : [409, "is not completed yet"];
}

interface Answered {
  /** Undefined in bulk, where one answer is about many. */
  readonly status?: number;
  readonly error: string;
  readonly newId: InvocationId | undefined;
}

async function ask(scene: Scene, door: Door, choice: Choice): Promise<Answered> {
  const { id } = scene;
  const { deployment } = CHOICES[choice];
  if (door === "in bulk") {
    const batch = { invocation_ids: [id], ...(deployment !== undefined && { deployment }) };
    const path = "/internal/invocations_batch_operations/restart-as-new";
    const { text } = await askAdmin(scene, "POST", path, JSON.stringify(batch));
    const { succeeded, failed } = JSON.parse(text) as {
      succeeded: { new_invocation_id: InvocationId }[];
      failed: { error: string }[];
    };
    return { error: failed[0]?.error ?? "", newId: succeeded[0]?.new_invocation_id };
  }
  const query = deployment === undefined ? "" : `?deployment=${deployment}`;
  const path =
    door === "alone"
      ? `/invocations/${id}/restart-as-new${query}`
      : `/${actionPath(id, "restart-as-new", { deployment, from: 0 })}`;
  const { status, text } = await askAdmin(scene, "PATCH", path);
  const body = JSON.parse(text) as { message?: string; new_invocation_id?: InvocationId };
  return { status, error: body.message ?? "", newId: body.new_invocation_id };
}

describe.each(Object.keys(STATES) as State[])("an invocation that is %s", (state) => {
  const rows = (Object.keys(CHOICES) as Choice[]).flatMap((choice) => DOORS.map((door) => [choice, door] as const));

  test.each(rows)("restarted on %s, %s, runs there as a new one or says truly why not", async (choice, door) => {
    const scene = await play(open, state);
    const { stage, actor, id } = scene;
    const refusal = refusalOf(state);
    const before = await inspect(actor.engine, id);
    const { status, error, newId } = await ask(scene, door, choice);
    expect([newId !== undefined, error]).toEqual([refusal === undefined, expect.stringContaining(refusal?.[1] ?? "")]);
    if (door !== "in bulk") expect(status).toBe(refusal?.[0] ?? 200);
    // The page offers the restart where the server takes it, and nowhere else.
    if (before !== undefined)
      expect(actionsFor({ status: before.status, entry_count: 1 }, false).includes("restart-as-new")).toBe(
        refusal === undefined,
      );
    if (newId === undefined) return;
    await stage.pulse.pass(3_000);
    expect(hostOf(stage)).toBe(`http://host-${CHOICES[choice].host}:9080/`);
    expect((await inspect(actor.engine, newId))?.status).toBe("completed");
  });
});
