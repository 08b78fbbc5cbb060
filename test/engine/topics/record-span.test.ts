/** The span of a record, in the form in which the reference's own tests look for it. */
import { expect, test } from "vitest";
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Span, Tracer } from "../../../shared/engine/ports/tracer.ts";
import { createKafkaCluster, subscribe } from "../../../shared/engine/register/subscribe.ts";
import { acceptRecords } from "../../../shared/engine/topics/accept-records.ts";
import { objectOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("the span of a record is below the record's trace, and has its target, topic, partition, offset and group", async () => {
  const stage = await open({ add: () => "" }, { services: [objectOf(["add"])] });
  const actor = stage.actor({ soleOwner: true });
  await createKafkaCluster(actor.engine, { name: "main", properties: { "bootstrap.servers": "b:1" } });
  const asked = { source: "kafka://main/orders", sink: "service://O/add", options: { "group.id": "billing" } };
  const subscription = await stage.pulse.within(0, subscribe(actor.engine, asked));
  const spans: Span[] = [];
  const tracer: Tracer = { record: (span) => void spans.push(span), flush: () => Promise.resolve() };
  const engine: Engine = { ...actor.engine, tracer };
  const traceparent = bytes("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  const record = { offset: 7, key: bytes("a"), headers: [{ name: "traceparent", value: traceparent }] };
  const batch = { subscription, partition: 3, resetNumber: 0, records: [record] };
  await stage.pulse.within(0, acceptRecords(engine, batch));
  expect(spans.filter(({ kind }) => kind === "consumer")).toMatchObject([
    {
      name: "ingress_kafka O/{key}/add",
      traceId: "0af7651916cd43dd8448eb211c80319c",
      parentSpanId: "b7ad6b7169203331",
      attributes: {
        "restate.invocation.id": expect.stringMatching(/^inv_/),
        "restate.invocation.target": "O/a/add",
        "messaging.system": "kafka",
        "messaging.operation.type": "process",
        "messaging.source.name": "orders",
        "messaging.source.partition.id": 3,
        "messaging.kafka.offset": 7,
        "messaging.consumer.group.name": "billing",
      },
    },
  ]);
});
