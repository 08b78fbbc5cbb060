/** Plays scenes on both servers, and compares the pictures of each. */
import { compare, type Found } from "./compare.ts";
import { DIFFERENCES, type Difference } from "./differences.ts";
import { observe } from "./observe.ts";
import type { Picture } from "./picture.ts";
import type { Scene } from "./program.ts";
import { openSide, type Server, type Side, startReference, startStepwell } from "./side.ts";
import { playScene, restartRoot } from "./stage-play.ts";

/** How a scene looked on both sides. */
export interface Compared {
  readonly scene: Scene;
  readonly ours: Picture;
  readonly theirs: Picture;
  /** The differences that no row of the table explains. */
  readonly found: readonly Found[];
  /** How often each row of the table applied. */
  readonly applied: ReadonlyMap<Difference, number>;
}

export class Beside {
  readonly #ours: Side;
  readonly #theirs: Side;
  #plays = 0;

  private constructor(ours: Side, theirs: Side) {
    this.#ours = ours;
    this.#theirs = theirs;
  }

  /** @param startOurs starts the server that is compared with the reference */
  static async open(startOurs: (dir: string) => Promise<Server> = startStepwell): Promise<Beside> {
    const opening = await Promise.allSettled([openSide("ours", startOurs), openSide("theirs", startReference)]);
    const failed = opening.find((one) => one.status === "rejected");
    const sides = opening.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    if (failed !== undefined) {
      await Promise.all(sides.map((side) => side.stop()));
      throw failed.reason;
    }
    return new Beside(sides[0]!, sides[1]!);
  }

  /** Plays all scenes at the same time on both sides. */
  async compare(scenes: readonly Scene[]): Promise<Compared[]> {
    const named = scenes.map((scene) => ({ play: `x${this.#plays++}`, scene }));
    const [ours, theirs] = await Promise.all([pictures(this.#ours, named), pictures(this.#theirs, named)]);
    return scenes.map((scene, index) => judged(scene, ours[index]!, theirs[index]!));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#ours.stop(), this.#theirs.stop()]);
  }
}

async function pictures(side: Side, named: readonly { play: string; scene: Scene }[]): Promise<Picture[]> {
  const plays = await Promise.all(
    named.map(async ({ play, scene }) => ({ play, scene, played: await playScene(side, play, scene) })),
  );
  const restarting = plays.filter(({ scene }) => scene.restartsFrom !== undefined);
  if (restarting.length > 0) {
    // A root is restarted when its whole tree has ended, so that no other invocation is under way.
    await observe(side, restarting);
    await Promise.all(restarting.map(({ scene, played }) => restartRoot(side, scene, played)));
  }
  return await observe(side, plays);
}

function judged(scene: Scene, ours: Picture, theirs: Picture): Compared {
  const applied = new Map<Difference, number>();
  const found = compare(ours, theirs).filter((one) => {
    const row = DIFFERENCES.find((difference) => difference.explains(one, { ours, theirs }));
    if (row !== undefined) applied.set(row, (applied.get(row) ?? 0) + 1);
    return row === undefined;
  });
  return { scene, ours, theirs, found, applied };
}
