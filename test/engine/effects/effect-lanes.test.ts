/** Which effects of one segment follow one another, and which run in parallel. */
import { expect, test } from "vitest";
import type { Effect } from "../../../shared/core/invocation/effects.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { lanesOf } from "../../../shared/engine/effects/perform.ts";
import { workflowId } from "../../../shared/engine/accept/invocation-ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";

const engine = { ids: new SecretIdSource(new Uint8Array(32)) } as unknown as Engine;
const W_ID = workflowId(engine, { service: "W", key: "w" });
const EXCLUSIVE = { serviceType: "object", handlerType: "exclusive" } as const;
const RUN = { serviceType: "workflow", handlerType: "workflow" } as const;

const send = (service: string, key: string | undefined, id: string, types: typeof EXCLUSIVE | typeof RUN = EXCLUSIVE) =>
  ({
    kind: "accept-child",
    attempt: 1,
    child: {
      target: { service, handler: "h", ...(key !== undefined && { key }) },
      input: new Uint8Array(0),
      headers: [],
      idCompletionId: 1,
    },
    childId: id as InvocationId,
    types,
    commandIndex: 1,
  }) satisfies Effect;
const attach = { kind: "attach", lookup: { kind: "workflow", service: "W", key: "w" }, completionId: 1 } as const;
const signal = (invocationId: string) =>
  ({ kind: "signal", invocationId, signal: { name: "go" }, result: undefined, senderKey: "k" }) as const;
const promise = (name: string) => ({ kind: "get-promise", name, completionId: 2 }) as const;

/** The places of the effects in each lane. */
const places = (effects: readonly Effect[], by = { service: "S", handler: "h" } as const) =>
  lanesOf(engine, by, effects).map((lane) => lane.map((effect) => effects.indexOf(effect)));

test("effects on different invocations, keys and promises run in parallel", () => {
  expect(places([send("O", "a", "inv_a"), send("O", "b", "inv_b"), signal("inv_c"), promise("p")])).toEqual([
    [0],
    [1],
    [2],
    [3],
  ]);
});

test("effects on one key follow one another, also without a key in the command", () => {
  expect(places([send("O", "a", "inv_a"), send("O", "b", "inv_b"), send("O", "a", "inv_c")])).toEqual([[0, 2], [1]]);
  expect(places([send("O", undefined, "inv_a"), send("O", "", "inv_b")])).toEqual([[0, 1]]);
});

test("a lookup, a signal and a send that concern one invocation follow one another", () => {
  expect(places([send("W", "w", W_ID, RUN), attach, signal(W_ID), signal("inv_x")])).toEqual([[0, 1, 2], [3]]);
});

test("an effect that concerns two lanes joins them, in the order of the commands", () => {
  const shared = { ...send("W", "w", "inv_s"), types: { serviceType: "workflow", handlerType: "shared" } as const };
  expect(places([shared, signal("inv_x"), attach, send("W", "w", W_ID, RUN), { ...attach }])).toEqual([
    [1],
    [0, 2, 3, 4],
  ]);
});

test("promises follow a call of the own workflow, and run in parallel without one", () => {
  const by = { service: "W", handler: "run", key: "w" } as const;
  expect(places([promise("p"), promise("q")], by as never)).toEqual([[0], [1]]);
  expect(places([promise("p"), send("W", "w", "inv_a"), promise("q")], by as never)).toEqual([[0, 1, 2]]);
});

test("thousands of effects on one key and many invocations are put in order quickly", () => {
  const effects = Array.from({ length: 20_000 }, (_, at) => send("O", "a", `inv_${at}`));
  const [lane, ...more] = places(effects.slice(0, 3));
  expect([lane, more]).toEqual([[0, 1, 2], []]);
  expect(lanesOf(engine, { service: "S", handler: "h" }, effects)[0]).toHaveLength(20_000);
});
