/** Turns at a key: one party alone, or several together, in the order in which they came. */
import { expect, test } from "vitest";
import { KeyTurns, type Turn } from "../../../shared/engine/local/key-turns.ts";

/** Parties that enter by name; `began` lists those whose turn has begun, in that order. */
class Parties {
  readonly turns = new KeyTurns();
  readonly began: string[] = [];
  readonly #got = new Map<string, Turn>();

  enter(name: string, isAlone: boolean, key = "k"): void {
    const entering = isAlone ? this.turns.alone(key) : this.turns.together(key);
    void entering.then((turn) => {
      this.began.push(name);
      this.#got.set(name, turn);
    });
  }

  async leave(name: string): Promise<void> {
    this.#got.get(name)!.leave();
    await settled();
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a party that is alone keeps all others of its key out, and none of another key", async () => {
  const parties = new Parties();
  parties.enter("a", true);
  parties.enter("b", true);
  parties.enter("c", false);
  parties.enter("other", true, "l");
  await settled();
  expect(parties.began).toEqual(["a", "other"]);
});

test("parties begin in the order in which they came, and neighbours that may be together begin together", async () => {
  const parties = new Parties();
  parties.enter("a", true);
  parties.enter("b", false);
  parties.enter("c", false);
  parties.enter("d", true);
  parties.enter("e", false);
  await settled();
  await parties.leave("a");
  expect(parties.began).toEqual(["a", "b", "c"]);
  await parties.leave("b");
  expect(parties.began).toEqual(["a", "b", "c"]);
  await parties.leave("c");
  expect(parties.began).toEqual(["a", "b", "c", "d"]);
  await parties.leave("d");
  expect(parties.began).toEqual(["a", "b", "c", "d", "e"]);
});

test("a second `leave` of the same turn lets no further party in", async () => {
  const parties = new Parties();
  parties.enter("a", true);
  parties.enter("b", true);
  parties.enter("c", true);
  await settled();
  await parties.leave("a");
  await parties.leave("a");
  expect(parties.began).toEqual(["a", "b"]);
});
