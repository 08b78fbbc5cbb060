/** The order of effects: those that concern one invocation, one key or one promise follow one another; others run in parallel. */
import type { Effect } from "../../core/invocation/effects.ts";
import type { Target } from "../../core/model/target.ts";
import { parseAwakeableId } from "../../core/protocol/awakeable-id.ts";
import type { Engine } from "../engine.ts";
import { idOfLookup } from "../accept/invocation-ids.ts";

interface Lane {
  /** The places of the effects among all effects, which is the order of their commands. */
  readonly places: number[];
  readonly names: string[];
}

/**
 * Two sends to one key are accepted in the order of their commands (I6), a lookup finds the invocation that a command before it
 * made, and the signals to one invocation arrive in order (I2).
 * @param by the target of the invocation that performs the effects
 * @returns lanes, each in the order of the commands
 */
export function lanesOf(engine: Engine, by: Target, effects: readonly Effect[]): readonly (readonly Effect[])[] {
  if (effects.length < 2) return effects.length === 0 ? [] : [effects];
  const lanes = new Lanes();
  const own = ownKey(by, effects);
  for (const [place, effect] of effects.entries()) lanes.add(place, concerns(engine, effect, own));
  return lanes.inOrder().map((places) => places.map((place) => effects[place]!));
}

class Lanes {
  readonly #all = new Set<Lane>();
  readonly #byName = new Map<string, Lane>();

  add(place: number, names: readonly string[]): void {
    let lane: Lane | undefined;
    for (const name of names) {
      const found = this.#byName.get(name);
      if (found !== undefined && found !== lane) lane = lane === undefined ? found : this.#joined(lane, found);
    }
    lane ??= { places: [], names: [] };
    this.#all.add(lane);
    lane.places.push(place);
    for (const name of names) if (this.#byName.get(name) !== lane) this.#name(lane, name);
  }

  inOrder(): readonly (readonly number[])[] {
    return [...this.#all].map(({ places }) => places.sort((one, other) => one - other));
  }

  /** The shorter lane goes into the longer one, so that many joins take little more time than one. */
  #joined(one: Lane, other: Lane): Lane {
    const [long, short] = one.places.length < other.places.length ? [other, one] : [one, other];
    for (const place of short.places) long.places.push(place);
    for (const name of short.names) this.#name(long, name);
    this.#all.delete(short);
    return long;
  }

  #name(lane: Lane, name: string): void {
    lane.names.push(name);
    this.#byName.set(name, lane);
  }
}

/** What an effect reads or changes. Two effects that share a name keep their order. */
function concerns(engine: Engine, effect: Effect, own: string | undefined): string[] {
  switch (effect.kind) {
    case "accept-child": {
      const key = keyOf(effect);
      return key === undefined ? [effect.childId] : [effect.childId, key];
    }
    case "attach":
    case "get-output": {
      const id = idOfLookup(engine, effect.lookup);
      return id === undefined ? [] : [id];
    }
    case "signal":
      return [effect.invocationId];
    case "complete-awakeable":
      return [parseAwakeableId(effect.awakeableId).invocationId];
    case "complete-promise":
    case "get-promise":
      return own === undefined ? [`promise#${effect.name}`] : [`promise#${effect.name}`, own];
    case "apply-state":
    case "give-back":
    case "leave-queue":
    case "close-workflow":
    case "deliver":
    case "answer-sinks":
    case "kill-child":
      return [];
  }
}

/**
 * The key of the invocation itself, if one of its effects calls a handler of this key: the handler sees the promises that the
 * commands before the call completed, and none that the commands after the call complete.
 */
function ownKey({ service, key }: Target, effects: readonly Effect[]): string | undefined {
  if (key === undefined) return undefined;
  const own = keyName(service, key);
  return effects.some((effect) => effect.kind === "accept-child" && keyOf(effect) === own) ? own : undefined;
}

function keyOf({ child, types }: Extract<Effect, { kind: "accept-child" }>): string | undefined {
  const { service, key } = child.target;
  if (key !== undefined) return keyName(service, key);
  return types === undefined || types.serviceType === "service" ? undefined : keyName(service, "");
}

function keyName(service: string, key: string): string {
  return `key#${service}#${key}`;
}
