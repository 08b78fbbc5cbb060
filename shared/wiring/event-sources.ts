/** Connects the subscriptions of an environment on AWS to Lambda's event source mappings. */
import { LambdaClient } from "@aws-sdk/client-lambda";
import { EventSourceTopics } from "../adapters/event-sources/event-source-topics.ts";
import { LambdaMappings } from "../adapters/event-sources/mappings.ts";
import type { Settings } from "../config/settings-table.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Topics } from "../engine/ports/topics.ts";

const NO_FUNCTION =
  "This environment consumes no topics: deploy the stack with kafkaClusters, which adds the function that accepts records";

export function awsTopics(settings: Settings, clock: Clock): Topics {
  const functionName = settings["aws.topics-function"];
  if (functionName === undefined) return withoutFunction();
  const client = new LambdaClient({ retryMode: "adaptive" });
  return new EventSourceTopics(new LambdaMappings(client, functionName, clock), clock);
}

function withoutFunction(): Topics {
  return {
    follow: async (wanted, sink) => {
      for (const { subscription } of wanted) await sink.failed(subscription.id, NO_FUNCTION);
      return wanted.length;
    },
    lag: async () => [],
    close: async () => undefined,
  };
}
