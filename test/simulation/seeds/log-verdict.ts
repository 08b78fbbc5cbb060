/** The verdict on objects: the log of a key contains each program once, and each program found the entries before its own. */
import type { Disturbed } from "./expected.ts";
import { lockOf, logIn } from "./lock-rules.ts";
import { type Keyed, type Program, targetOf } from "./program.ts";
import type { WatchedTable } from "./watched-table.ts";

interface Ended {
  readonly program: Program;
  /** Its output as JSON, or `failed <code>`. */
  readonly text: string;
}

/** @param sent pairs of programs: in each pair the first program was acknowledged before the second was requested */
export function logComplaints(
  table: WatchedTable,
  ended: readonly Ended[],
  sent: readonly (readonly [Program, Program])[],
  disturbed: Disturbed,
): string[] {
  const complaints: string[] = [];
  const logs = new Map<string, readonly string[]>();
  for (const { program, text } of ended) {
    const { object, name } = program;
    if (object === undefined) continue;
    const log = logs.get(object) ?? logIn(lockOf(table, targetOf(program)));
    logs.set(object, log);
    const times = log.filter((one) => one === name).length;
    // A program that several lives played is there once for each.
    const lives = ended.filter((one) => one.program.name === name).length;
    if (times > lives || (times === 0 && !disturbed.has(name)))
      complaints.push(`${name} is ${times} times in ${log.join()}`);
    if (text.startsWith("failed")) continue;
    const { before } = JSON.parse(text) as Keyed;
    const expected = log.flatMap((one, at) => (one === name ? [log.slice(0, at).join()] : []));
    if (!expected.includes(before.join()))
      complaints.push(`${name} found ${before.join()}, and the log of ${object} is ${log.join()}`);
  }
  for (const [first, second] of sent) {
    const log = logs.get(first.object ?? "") ?? [];
    const [sooner, later] = [log.indexOf(first.name), log.indexOf(second.name)];
    if (sooner > later && later >= 0)
      complaints.push(`${first.name} was accepted before ${second.name} was asked for, and ran after it`);
  }
  return complaints;
}
