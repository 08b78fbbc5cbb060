/** Every choice of a deployment for every state that can be resumed: the answer at each door, and where the invocation goes on. */
import { describe, expect, test } from "vitest";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { stages } from "../../harness/engine/stages.ts";
import { actionPath, actionsFor, type ActionFacts, ordersOf } from "../../../ui/model/invocation-actions.ts";
import { askAdmin, FIRST, hostOf, play, SECOND, STATES, type Scene, type State } from "./operated-scenes.ts";

const open = stages();

const CHOICES = {
  keep: "",
  latest: "?deployment=latest",
  "the second id": `?deployment=${SECOND}`,
  "the first id": `?deployment=${FIRST}`,
};
type Choice = keyof typeof CHOICES;

const DOORS = ["alone", "in bulk", "as the web UI asks"] as const;
type Door = (typeof DOORS)[number];

/** The HTTP status of a refusal, and words of its reason. */
const REFUSED: Partial<Record<State, (choice: Choice) => readonly [number, string] | undefined>> = {
  "running, nothing recorded": (choice) => (choice === "keep" ? undefined : [409, "is under way or about to begin"]),
  scheduled: () => [425, "has not begun: it is scheduled"],
  completed: () => [409, "is already completed"],
  unknown: () => [404, "does not exist"],
};

interface Answered {
  readonly isDone: boolean;
  /** Undefined in bulk, where one answer is about many. */
  readonly status?: number;
  readonly text: string;
}

async function ask(scene: Scene, door: Door, choice: Choice, facts: ActionFacts): Promise<Answered> {
  const { id } = scene;
  const deployment = new URLSearchParams(CHOICES[choice]).get("deployment") ?? undefined;
  if (door === "alone") return done(await askAdmin(scene, "PATCH", `/invocations/${id}/resume${CHOICES[choice]}`));
  if (door === "in bulk") {
    const batch = { invocation_ids: [id], ...(deployment !== undefined && { deployment }) };
    const path = "/internal/invocations_batch_operations/resume";
    const { text } = await askAdmin(scene, "POST", path, JSON.stringify(batch));
    const { failed } = JSON.parse(text) as { failed: { error: string }[] };
    return { isDone: failed.length === 0, text: failed[0]?.error ?? "" };
  }
  const [last, ...before] = ordersOf("resume", facts, { deployment }).toReversed();
  for (const order of before) await askAdmin(scene, "PATCH", `/${actionPath(id, order, { deployment })}`);
  return done(await askAdmin(scene, "PATCH", `/${actionPath(id, last!, { deployment })}`));
}

function done({ status, text }: { readonly status: number; readonly text: string }): Answered {
  return { isDone: status === 200, status, text };
}

describe.each(Object.keys(STATES) as State[])("an invocation that is %s", (state) => {
  const rows = (Object.keys(CHOICES) as Choice[]).flatMap((choice) => DOORS.map((door) => [choice, door] as const));

  test.each(rows)("resumed on %s, %s, goes on there or says truly why not", async (choice, door) => {
    const scene = await play(open, state);
    const { stage, actor, id, gate } = scene;
    const { status, ownFirst } = STATES[state];
    const before = await inspect(actor.engine, id);
    expect([before?.status ?? "unknown", before?.pinnedDeploymentId !== undefined]).toEqual([status, ownFirst]);
    // Of an invocation that does not exist, a page still has the status that it read before.
    const facts = { status: status as ActionFacts["status"], entry_count: 1 };
    const attemptsBefore = stage.deployment.attempts.length;
    const answer = await ask(scene, door, choice, facts);
    // The web UI pauses an attempt that is under way before it moves the invocation.
    const isPausedFirst = door === "as the web UI asks" && status === "running";
    const refusal = isPausedFirst ? undefined : REFUSED[state]?.(choice);
    expect([answer.isDone, answer.text]).toEqual([refusal === undefined, expect.stringContaining(refusal?.[1] ?? "")]);
    if (door !== "in bulk") expect(answer.status).toBe(refusal?.[0] ?? 200);
    // The page offers no action that the server refuses.
    const isOffered = actionsFor(facts, false).includes("resume");
    if (before !== undefined && isOffered) expect(refusal).toBeUndefined();
    gate.open();
    await stage.pulse.pass(3_000);
    if (refusal !== undefined || status === "running") return;
    expect(stage.deployment.attempts.length).toBeGreaterThan(attemptsBefore);
    const goesOnFirst = choice === "the first id" || (choice === "keep" && ownFirst);
    expect(hostOf(stage)).toBe(`http://host-${goesOnFirst ? 1 : 2}:9080/`);
  });
});
