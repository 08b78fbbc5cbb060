/** The line of a pool: who is next, one by one and several at a time. */
import { expect, test } from "vitest";
import type { InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import { joinLine, nextTurn, nextTurns } from "../../../shared/engine/limits/line.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const POOL = "acme";

test.each([
  ["a line with a long key and short ones", { a: 9, b: 2, c: 1 }],
  ["a line without keys", { "": 8 }],
  ["a line whose first key is empty", { "": 3, x: 5 }],
  ["an empty line", {}],
])("several that are served at a time are those that would be served one by one: %s", async (_, waiting) => {
  const { engine } = (await open({})).actor();
  let count = 0;
  for (const [turnKey, length] of Object.entries(waiting))
    for (let at = 0; at < length; at++) {
      const id = `inv_1${String(++count).padStart(33, "0")}` as InvocationId;
      const life = { id, nonce: "n" as Nonce, target: { service: "S", handler: "work" }, createdAtMs: count };
      await joinLine(engine, { name: POOL, turnKey }, "place", life);
    }
  for (const servedKey of ["", "a", "b", "z"])
    for (const most of [1, 2, 5, count, count + 3]) {
      const together = await nextTurns(engine, POOL, "place", servedKey, most);
      expect(together.map(({ id }) => id)).toEqual(await oneByOne(engine, servedKey, most));
    }
});

/** Serves the line, and puts it back. */
async function oneByOne(engine: Parameters<typeof nextTurn>[0], servedKey: string, most: number): Promise<string[]> {
  const served: string[] = [];
  const removed = [];
  for (let key = servedKey; served.length < most;) {
    const turn = await nextTurn(engine, POOL, "place", key);
    if (turn === undefined) break;
    served.push(turn.id);
    removed.push((await engine.table.get(turn.key))!);
    await engine.table.delete(turn.key);
    key = turn.turnKey;
  }
  for (const item of removed) await engine.table.put(item);
  return served;
}
