/** Under every attack, the server stays alive, keeps its memory bounded, and serves the attacker's healthy neighbour at once. */
import { expect, test } from "vitest";
import { itemsOfTurn, tellRotation } from "../rotation.ts";
import { ATTACKS, PARTS } from "./all-attacks.ts";
import { runAttack } from "./run-attack.ts";
import { openStage } from "./stage.ts";
import { Stalls } from "./stalls.ts";

const attacks = itemsOfTurn(ATTACKS, PARTS);
tellRotation("attacks", "attacks", attacks.length, ATTACKS.length);

test.each(attacks.map(({ name, title }) => [`${name}:`, title, name]))("%s %s", async (_name, _title, name) => {
  const first = await attacked(name);
  // A stall of the whole machine is no evidence about the server, so the attack is repeated once.
  const { complaints } = first.stallMs === undefined || first.complaints === "" ? first : await attacked(name);
  expect(complaints).toBe("");
});

async function attacked(name: string): Promise<{ readonly complaints: string; readonly stallMs: number | undefined }> {
  const stage = await openStage(name);
  const stalls = new Stalls();
  try {
    const complaints = (await runAttack(name, stage)).join("; ");
    const stallMs = stalls.end();
    if (stallMs !== undefined)
      console.log(`${name}: the machine stalled for ${stallMs} ms (${complaints || "nothing broke"})`);
    return { complaints, stallMs };
  } finally {
    stalls.end();
    await stage.close();
  }
}
