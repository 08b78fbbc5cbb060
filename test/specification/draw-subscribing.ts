/** Draws what operators do with clusters and subscriptions; some of it is refused. */
import type { Random } from "../simulation/random.ts";
import type { State } from "./model/state.ts";
import type { Subscribing } from "./model/subscribing.ts";
import type { Name } from "./model/words.ts";

const CLUSTERS = ["east", "west"];
const SOURCES = [
  "kafka://east/orders",
  "kafka://east/news",
  "kafka://west/orders",
  "kafka://east",
  "amqp://east/orders",
];
const SINKS = [
  "service://Greeter/greet",
  "service://Account/move",
  "service://Account/look",
  "service://Order/run",
  "service://Account/none",
  "service://Greeter",
];
/** The first ones are valid. */
const VALID_SOURCES = 3;
const VALID_SINKS = 4;

/** @param name the name of the operation @returns mostly undefined where there is no subscription yet */
export function drawSubscribing(
  random: Random,
  { catalogue }: State,
  kind: Subscribing["do"],
  name: Name,
): Subscribing | undefined {
  switch (kind) {
    case "connect":
      return { do: "connect", cluster: random.pick(CLUSTERS) };
    case "disconnect":
      return { do: "disconnect", cluster: random.pick(CLUSTERS), force: random.chance(0.4) };
    case "subscribe": {
      if (catalogue.clusters.length === 0 && random.chance(0.7))
        return { do: "connect", cluster: random.pick(CLUSTERS) };
      const source = random.pick(random.chance(0.85) ? SOURCES.slice(0, VALID_SOURCES) : SOURCES);
      const sink = random.pick(random.chance(0.85) ? SINKS.slice(0, VALID_SINKS) : SINKS);
      return { do: "subscribe", name: name.replace("p", "s"), source, sink };
    }
    case "unsubscribe":
    case "hold":
    case "release": {
      const names = catalogue.subscriptions.map((one) => one.name);
      if (names.length > 0) return { do: kind, of: random.pick(names) };
      return random.chance(0.05) ? { do: kind, of: "s0" } : undefined;
    }
  }
}
