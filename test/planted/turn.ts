/** Which planted mistakes a commit plants: a rotating part of the catalogue. */
import { itemsOfTurn, rotationOfRun, tellRotation } from "../rotation.ts";
import { MISTAKES, PARTS, type Suite } from "./catalogue.mjs";

/** Prints the choice. @returns the environment of the suite's tests */
export function plantedTurn(suite: Suite): { readonly PLANTED_TURN: string } {
  const rotation = rotationOfRun();
  const [chosen, all] = [itemsOfTurn(MISTAKES, PARTS, rotation), MISTAKES].map((some) =>
    some.filter((one) => one.suite === suite),
  );
  tellRotation(suite, "planted mistakes", chosen!.length, all!.length);
  return { PLANTED_TURN: rotation };
}
