/** Makes a scene that shows a difference smaller, as long as the smaller one shows one, too. */
import type { Branch, Program, Scene, Step } from "./program.ts";

const ROUNDS_MAX = 12;
const CANDIDATES_MAX = 24;

/**
 * @param differs tells for each of the scenes whether it still shows a difference
 * @returns the smallest scene that was found
 */
export async function shrink(scene: Scene, differs: (scenes: readonly Scene[]) => Promise<boolean[]>): Promise<Scene> {
  let smallest = scene;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const candidates = smallerScenes(smallest).slice(0, CANDIDATES_MAX);
    const still = await differs(candidates);
    const found = candidates[still.indexOf(true)];
    if (found === undefined) return smallest;
    smallest = found;
  }
  return smallest;
}

/** @returns scenes with less in them, the smallest first */
export function smallerScenes(scene: Scene): Scene[] {
  const { twice: _twice, ...once } = scene;
  const { restartsFrom: _restartsFrom, ...unrestarted } = scene;
  return [
    ...(scene.twice === undefined ? [] : [once]),
    ...(scene.restartsFrom === undefined ? [] : [unrestarted]),
    ...(scene.starts === "call" ? [] : [{ ...scene, starts: "call" } as const]),
    ...smallerPrograms(scene.root).map((root) => ({ ...scene, root })),
  ];
}

function smallerPrograms(program: Program): Program[] {
  const { steps } = program;
  const with_ = (at: number, step: Step | undefined) => ({
    ...program,
    steps: [...steps.slice(0, at), ...(step === undefined ? [] : [step]), ...steps.slice(at + 1)],
  });
  const halves = steps.length < 4 ? [] : [steps.slice(0, steps.length / 2), steps.slice(steps.length / 2)];
  return [
    ...halves.map((half) => ({ ...program, steps: half })),
    ...steps.map((_, at) => with_(at, undefined)),
    ...steps.flatMap((step, at) => smallerSteps(step).map((smaller) => with_(at, smaller))),
  ];
}

function smallerSteps(step: Step): Step[] {
  if (!("of" in step)) return [];
  const of = step.of as Program | Branch | readonly Branch[];
  if (Array.isArray(of)) {
    const branches = of as readonly Branch[];
    return [
      ...branches.map((branch) => branch as Step),
      ...branches.flatMap((branch, at) =>
        smallerSteps(branch).map(
          (smaller) => ({ ...step, of: [...branches.slice(0, at), smaller, ...branches.slice(at + 1)] }) as Step,
        ),
      ),
    ];
  }
  if (!("steps" in of)) return [];
  return smallerPrograms(of).map((program) => ({ ...step, of: program }) as Step);
}

/** The scene with one line for each step. */
export function shownScene({ root, ...scene }: Scene): string {
  return [JSON.stringify(scene), ...linesOf(root, "  ")].join("\n");
}

function linesOf({ steps, ...program }: Program, indent: string): string[] {
  return [
    `${indent}${program.name} ${JSON.stringify(program)}`,
    ...steps.flatMap((step) => {
      const of = "of" in step ? (step.of as Program | Branch | readonly Branch[]) : undefined;
      if (of === undefined || Array.isArray(of) || !("steps" in of)) return [`${indent}  ${JSON.stringify(step)}`];
      const { of: _, ...rest } = step as Extract<Step, { do: "call" }>;
      return [`${indent}  ${JSON.stringify(rest)}`, ...linesOf(of, `${indent}    `)];
    }),
  ];
}
