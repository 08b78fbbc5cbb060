/** Plays a scene on one side: starts the root, acts from outside once a program waits, and restarts it after its end. */
import { handlerOf } from "./player.ts";
import { type Act, type Branch, MARK, type Part, type Program, type Scene, serviceName, type Step } from "./program.ts";
import type { Answer, Side } from "./side.ts";

/** The answers that clients and operators got, in the order of the scene. */
export interface Played {
  readonly answers: { readonly what: string; readonly answer: Answer }[];
  /** The invocations of the root by label. */
  readonly roots: Map<string, string>;
}

interface Hold {
  readonly where: string;
  readonly act: Act;
  readonly on: string;
}

export async function playScene(side: Side, play: string, scene: Scene): Promise<Played> {
  const played: Played = { answers: [], roots: new Map() };
  const { root } = scene;
  let ended = () => {};
  const end = new Promise<undefined>((resolve) => (ended = () => resolve(undefined)));
  const operating = holdsOf(root).map((hold) => operate(side, play, hold, end));
  await startRoot(side, play, scene, played);
  ended();
  for (const acts of await Promise.all(operating)) played.answers.push(...acts);
  return played;
}

async function startRoot(
  side: Side,
  play: string,
  { kind, root, starts, twice }: Scene,
  played: Played,
): Promise<void> {
  const key = root.key === undefined ? "" : `/${play}-${root.key}`;
  const path = `/${serviceName(kind, root.on)}${key}/${handlerOf(root)}`;
  const part: Part = { play, program: root };
  const headers: Record<string, string> = twice === true ? { "idempotency-key": play } : {};
  const note = (what: string, answer: Answer) => (played.answers.push({ what, answer }), answer);
  if (starts === "call") {
    const { headers: answered } = note("call", await side.post(path, part, headers));
    const id = answered.get("x-restate-id");
    if (id !== null) played.roots.set(root.name, id);
  } else {
    const { status, text } = note(
      "send",
      await side.post(`${path}/send${starts === "send" ? "" : "?delay=20ms"}`, part, headers),
    );
    if (status === 0) return;
    const { invocationId } = JSON.parse(text) as { invocationId: string };
    played.roots.set(root.name, invocationId);
    note("attach", await side.get(`/restate/invocation/${invocationId}/attach`));
    note("output", await side.get(`/restate/invocation/${invocationId}/output`));
  }
  if (twice === true) note("call again", await side.post(path, part, headers));
}

/** Restarts the root, which has ended with all that it began. */
export async function restartRoot(
  side: Side,
  { root, restartsFrom }: Scene,
  { answers, roots }: Played,
): Promise<void> {
  const id = roots.get(root.name);
  if (id === undefined) return;
  const from = restartsFrom === "mark" ? await indexBeforeMark(side, id) : 0;
  const answer = await side.admin("PATCH", `/invocations/${id}/restart-as-new?from=${from}`);
  answers.push({ what: "restart", answer });
  if (answer.status !== 200) return;
  const { new_invocation_id: restarted } = JSON.parse(answer.text) as { new_invocation_id: string };
  roots.set(`${root.name}'`, restarted);
  answers.push({ what: "attach after restart", answer: await side.get(`/restate/invocation/${restarted}/attach`) });
}

/** @returns the index of the last entry before the mark, or one beyond the journal if the root did not come to its mark */
async function indexBeforeMark(side: Side, id: string): Promise<number> {
  const rows = await side.query(`select index, name from sys_journal where id = '${id}' order by index`);
  const at = rows.findIndex((row) => row["name"] === MARK);
  return at === -1 ? 1_000 : Number(rows[at]!["index"]) - 1;
}

async function operate(
  side: Side,
  play: string,
  { where, act, on }: Hold,
  end: Promise<undefined>,
): Promise<Played["answers"]> {
  const reached = await Promise.race([side.recorder.untilWaits(play, where), end]);
  if (reached === undefined) return [];
  const awakeable = `/restate/awakeables/${reached.awakeable}`;
  const answer =
    act === "resolve"
      ? await side.post(`${awakeable}/resolve`, { on })
      : act === "reject"
        ? await side.post(`${awakeable}/reject`, "rejected")
        : await side.admin("PATCH", `/invocations/${reached.invocation}/${act}`);
  return [{ what: `${act} ${where}`, answer }];
}

/** @returns the holds of a program and of all that it calls or sends */
function holdsOf(program: Program): Hold[] {
  return program.steps.flatMap((step, at) => {
    if (step.do === "hold") return [{ where: `${program.name}.s${at}`, act: step.act, on: step.on }];
    return programsOf(step).flatMap(holdsOf);
  });
}

/** @returns the programs that a step calls or sends */
export function programsOf(step: Step | Branch): readonly Program[] {
  if (!("of" in step)) return [];
  const of = step.of as Program | Branch | readonly Branch[];
  if (Array.isArray(of)) return (of as readonly Branch[]).flatMap(programsOf);
  return "steps" in of ? [of] : programsOf(of as Branch);
}

/** @returns the program and all that it calls or sends */
export function treeOf(program: Program): readonly Program[] {
  return [program, ...program.steps.flatMap((step) => programsOf(step).flatMap(treeOf))];
}
