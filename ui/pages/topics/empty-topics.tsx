/** The next steps if no cluster is configured, or if no subscription reads from a cluster. */
import type { JSX } from "preact";
import { readsHaveAPrice } from "../../data/server.ts";
import { Empty } from "../../parts/states.tsx";

export function NoClusters(): JSX.Element {
  return (
    <Empty>
      <h2>No Kafka cluster is configured</h2>
      {readsHaveAPrice.value ? (
        <p>
          Name the cluster in <code>kafkaClusters</code> of the construct <code>Stepwell</code>, and deploy the stack.
          Its topics can then invoke handlers.
        </p>
      ) : (
        <p>
          Add one with <code>POST /kafka-clusters</code>, or with
          <br />
          <code>stepwell kafka-clusters create main --property bootstrap.servers=broker:9092</code>
          <br />
          or as a table <code>[[ingress.kafka-clusters]]</code> of the configuration. Its topics can then invoke
          handlers.
        </p>
      )}
    </Empty>
  );
}

export function NoSubscriptions({ cluster }: { readonly cluster: string }): JSX.Element {
  return (
    <Empty>
      <h2>No handler is subscribed to a topic</h2>
      <p>
        A subscription lets each record of a topic invoke a handler. Subscribe one here, or with
        <br />
        <code>stepwell subscriptions create kafka://{cluster}/orders service://Orders/take</code>
      </p>
    </Empty>
  );
}
