/** Waits for the end of all work, and calls the sweeper as its EventBridge rule would. */
import { aws, pause } from "../e2e-aws/control-plane.ts";
import { sweep } from "../e2e-aws/hints.ts";
import { leftBehind, type LeftBehind } from "./left-behind.ts";

/**
 * Within this time, passes of the sweeper should find an invocation whose last message was lost; if not, a look at everything
 * does.
 */
const LATE_MS = 60_000;
const QUIET_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 5_000;

export function say(what: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${what}`);
}

/**
 * @param late a function that runs if work is still open after `LATE_MS`, before the look at everything
 * @returns false if work is still open at the end
 */
export async function settled(
  underWay: ReadonlySet<Promise<void>>,
  untilMs: number,
  late: () => Promise<void>,
): Promise<boolean> {
  const lateMs = Date.now() + LATE_MS;
  let hasLookedAtAll = false;
  while (underWay.size > 0 && Date.now() < untilMs) {
    const isLate = !hasLookedAtAll && Date.now() > lateMs;
    if (isLate) {
      hasLookedAtAll = true;
      await late();
      say(`${underWay.size} are still under way, and everything is looked at: ${await lookAtEverything()} woken`);
    } else await sweepAsRule();
    await Promise.race([Promise.all(underWay), pause(LOOK_EVERY_MS)]);
  }
  return underWay.size === 0;
}

export async function sweepAsRule(): Promise<void> {
  await sweep(aws.plain).catch((error: unknown) => console.log(String(error)));
}

/**
 * Waits for the end of invocations without an attached client, and for the messages that are left. The member of a killed chain
 * sleeps for an hour; if the wake of its kill order was lost, only a look at everything finds it, and the slower the machine, the
 * rarer are the sweeper's own.
 */
export async function untilQuiet(): Promise<LeftBehind> {
  const untilMs = Date.now() + QUIET_WITHIN_MS;
  let lateMs = Date.now() + LATE_MS;
  let left = await leftBehind();
  while (!isQuiet(left) && Date.now() < untilMs) {
    if (Date.now() > lateMs) {
      const { open, waiting, dead } = left;
      say(`not quiet yet: ${JSON.stringify({ open, waiting: waiting.length, dead: dead.length })}`);
      say(`everything is looked at: ${await lookAtEverything()} woken`);
      lateMs = Date.now() + LATE_MS;
    } else await sweepAsRule();
    await pause(LOOK_EVERY_MS);
    left = await leftBehind();
  }
  return left;
}

/** Looks at everything, as an operator does after a loss of messages (docs/operating/incidents.md). */
async function lookAtEverything(): Promise<number> {
  try {
    const { swept } = (await sweep(aws.plain, { everything: true })) as { readonly swept: { readonly woken: number } };
    return swept.woken;
  } catch (error) {
    say(String(error));
    return 0;
  }
}

function isQuiet({ open, waiting, dead }: LeftBehind): boolean {
  return open.length + waiting.length + dead.length === 0;
}
