/** Under every attack, the server stays alive, keeps its memory bounded, and serves the attacker's healthy neighbour at once. */
import { expect, test } from "vitest";
import { itemsOfTurn, tellRotation } from "../rotation.ts";
import { ATTACKS, PARTS } from "./all-attacks.ts";
import { runAttack } from "./run-attack.ts";
import { openStage } from "./stage.ts";

const attacks = itemsOfTurn(ATTACKS, PARTS);
tellRotation("attacks", "attacks", attacks.length, ATTACKS.length);

test.each(attacks.map(({ name, title }) => [`${name}:`, title, name]))("%s %s", async (_name, _title, name) => {
  const stage = await openStage(name);
  try {
    expect((await runAttack(name, stage)).join("; ")).toBe("");
  } finally {
    await stage.close();
  }
});
