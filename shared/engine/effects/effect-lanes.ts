/** The order of effects: children of one key, and effects on one promise, follow one another; all others run in parallel. */
import type { Effect } from "../../core/invocation/effects.ts";
import type { Engine } from "../engine.ts";

/**
 * Two sends from one invocation to one key are accepted in the order of their commands (I6).
 * @returns lanes, each in command order
 */
export function lanesOf(engine: Engine, effects: readonly Effect[]): readonly (readonly Effect[])[] {
  const lanes: Effect[][] = [];
  const byName = new Map<string, Effect[]>();
  for (const effect of effects) {
    const name = laneOf(engine, effect);
    const lane = name === undefined ? undefined : byName.get(name);
    if (lane !== undefined) {
      lane.push(effect);
      continue;
    }
    const begun = [effect];
    lanes.push(begun);
    if (name !== undefined) byName.set(name, begun);
  }
  return lanes;
}

function laneOf({ registry }: Engine, effect: Effect): string | undefined {
  if (effect.kind === "complete-promise" || effect.kind === "get-promise") return `promise#${effect.name}`;
  if (effect.kind !== "accept-child") return undefined;
  const { service, handler, key } = effect.child.target;
  if (key !== undefined) return `object#${service}#${key}`;
  const routing = registry.known(service, handler);
  return routing?.found === true && routing.route.service.type !== "service" ? `object#${service}#` : undefined;
}
