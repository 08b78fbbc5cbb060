/** Many scopes with a limit each, many sends, and processes that are killed: never more run than may, and all end. */
import { expect, test } from "vitest";
import type { Scope } from "../../../shared/core/model/scope.ts";
import type { Endpoints } from "../../../shared/engine/ports/endpoints.ts";
import { type Actor, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";
import { itemsOfTurn, tellRotation } from "../../rotation.ts";
import { limit } from "./limited-stage.ts";

const open = stages();

const SCOPES = 100;
const PLACES = 5;
const SENDS_MAX = 10_000;
/** 10,000 sends take a minute of a processor, so one commit in four makes as many. */
const SENDS = Math.max(...itemsOfTurn([SENDS_MAX, 2_000, 2_000, 2_000], 4));
const KILLS = 20;
const HANDLER_MS = 50;

test("of 100 scopes, none ever has more than five whose attempts may count, while 20 processes are killed, and all end", async () => {
  tellRotation("scale", "sends under a limit", SENDS, SENDS_MAX);
  const attemptOf = new WeakMap<object, Actor>();
  /** Inputs that run, by process: what a dead process began can no longer count. */
  const runs = new Map<Actor, Map<object, string>>();
  const ended = new Set<string>();
  let most = 0;
  let opener: Actor | undefined;
  const note = (): void => {
    const byScope = new Map<string, Set<string>>();
    for (const own of runs.values())
      for (const input of own.values()) {
        const scope = input.split("/")[0]!;
        byScope.set(scope, (byScope.get(scope) ?? new Set()).add(input));
      }
    for (const inputs of byScope.values()) most = Math.max(most, inputs.size);
  };
  const stage: Stage = await open({
    work: async (ctx) => {
      const { journal } = ctx;
      const actor = attemptOf.get(journal) ?? opener!;
      runs.get(actor)?.set(journal, journal.input);
      note();
      await stage.pulse.sleep(HANDLER_MS);
      runs.get(actor)?.delete(journal);
      ended.add(journal.input);
      return journal.input;
    },
  });
  const begin = (): Actor => {
    const actor = stage.actor();
    runs.set(actor, new Map());
    const endpoints: Endpoints = {
      open(request) {
        opener = actor;
        const exchange = stage.deployment.open(request);
        attemptOf.set(stage.deployment.attempts.at(-1)!, actor);
        return exchange;
      },
    };
    Object.assign(actor.engine, { endpoints });
    actor.startWorker();
    return actor;
  };
  const actors = [begin(), begin(), begin()];
  const door = stage.actor();
  await stage.pulse.within(0, limit(door, "*", { concurrency: PLACES }));
  const each = SENDS / KILLS;
  for (let at = 0; at < SENDS; at++) {
    const scope = `s${Math.floor((at * SCOPES) / SENDS)}` as Scope;
    await stage.pulse.within(
      0,
      sendOn(door, "work", `${scope}/${at}`, { target: { service: "S", handler: "work", scope } }),
    );
    if (at % each !== each - 1) continue;
    await stage.pulse.pass(120);
    const killed = actors.shift()!;
    killed.die();
    runs.delete(killed);
    actors.push(begin());
  }
  for (let minute = 0; minute < 30 && ended.size < SENDS; minute++) await stage.pulse.pass(60_000);
  expect(ended.size).toBe(SENDS);
  expect(most).toBe(PLACES);
});
