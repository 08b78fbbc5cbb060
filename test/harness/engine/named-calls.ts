/** Names the calls of a process by what they do, for tests that interrupt one of them. */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Item, Key } from "../../../shared/engine/ports/table.ts";
import { ACCEPTANCE_SK, invocationPk } from "../../../shared/engine/store/item-keys.ts";
import type { NamedCall } from "./crash.ts";
import type { PortCall } from "./engine-process.ts";

/** @param sk a pattern that matches the sort key of the item that is put */
export function putOf(sk: RegExp, isIt: (item: Item) => boolean = () => true): NamedCall {
  return (call) => isTableCall(call, "put") && sk.test((call.args[0] as Item).sk) && isIt(call.args[0] as Item);
}

/** @param handler the handler of the accepted invocation; absent for any handler */
export function acceptanceOf(handler?: string): NamedCall {
  return putOf(new RegExp(`^${ACCEPTANCE_SK}$`), (item) => handler === undefined || item["handler"] === handler);
}

/** The put of a segment after the acceptance. */
export const segment: NamedCall = putOf(/^seg#.+#/);

/** The put of the final segment. */
export function endOf(id: InvocationId): NamedCall {
  return putOf(/^seg#/, (item) => item.pk === invocationPk("", id) && item["end"] === true);
}

/** The put of a completion, a signal or an order to kill at the receiving invocation. */
export const arrival: NamedCall = putOf(/^arr#/);

/** The put by which an invocation subscribes to the end of another. */
export const subscription: NamedCall = putOf(/^sink#/);

/** The put of a ticket, by its number, at the key of an object. */
export function ticket(number: number): NamedCall {
  return putOf(new RegExp(`^inbox#0*${number}$`));
}

/** The put of the completion of a promise. */
export const promiseCompletion: NamedCall = putOf(/^promise#/);

/** The update of the lock of a key: its holder gives the key back, or the life of a workflow is over. */
export const lockUpdate: NamedCall = updateOf(/^lock$/);

/** The update of a promise's time to live when the life of its workflow is over. */
export const promiseUpdate: NamedCall = updateOf(/^promise#/);

/** The message that wakes an invocation. */
export const message: NamedCall = ({ port, method }) => port === "queue" && method === "send";

/** The read of the sinks of an invocation. With this read, a driver begins to deliver the end of the invocation. */
export const readOfSubscriptions: NamedCall = readOf(/^sink#/);

/** The read of all invocations that await a promise. */
export const readOfPromiseWaiters: NamedCall = readOf(/^waiter#/);

/** Any write of the table. */
export const tableWrite: NamedCall = ({ port, method }) =>
  port === "table" && ["put", "update", "delete", "transact"].includes(method);

/** Names the call at `place` among the calls that match `isIt`; the first has place 0. Tests interrupt each in turn. */
export function nth(place: number, isIt: NamedCall): NamedCall {
  let seen = 0;
  return (call) => isIt(call) && seen++ === place;
}

/** The matching calls that follow a write, such as the write of an end. */
export function after(write: NamedCall, isIt: NamedCall): NamedCall {
  let isDone = false;
  return (call) => {
    if (isDone) return isIt(call);
    isDone = write(call);
    return false;
  };
}

function updateOf(sk: RegExp): NamedCall {
  return (call) => isTableCall(call, "update") && sk.test((call.args[0] as Key).sk);
}

function readOf(from: RegExp): NamedCall {
  return (call) => isTableCall(call, "query") && from.test((call.args[1] as { from?: string } | undefined)?.from ?? "");
}

function isTableCall({ port, method }: PortCall, wanted: string): boolean {
  return port === "table" && method === wanted;
}
