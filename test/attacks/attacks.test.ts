/** Every attack leaves the server alive, its memory bounded, and its healthy neighbour served at once. */
import { expect, test } from "vitest";
import { ATTACKS } from "./all-attacks.ts";
import { runAttack } from "./run-attack.ts";
import { openStage } from "./stage.ts";

test.each(ATTACKS.map(({ name, title }) => [`${name}:`, title, name]))("%s %s", async (_name, _title, name) => {
  const stage = await openStage(name);
  try {
    expect(await runAttack(name, stage)).toEqual([]);
  } finally {
    await stage.close();
  }
});
