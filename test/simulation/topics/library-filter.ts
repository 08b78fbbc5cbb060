/** The filter of the Kafka client for aborted transactions, as it is shipped: the client applies it to each answer that it gets. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const IS_CONTROL = 32;
const BODY = /#filterUncommittedMessages\(response\) \{([\s\S]*?)\n    \}\n/;

const file = createRequire(import.meta.url)
  .resolve("@platformatic/kafka")
  .replace(/index\.js$/, "clients/consumer/consumer.js");
const body = BODY.exec(readFileSync(file, "utf8"))?.[1];
if (body === undefined) throw new Error("the Kafka client has no filter of this name any more");
// The filter is private to the class of the client, and does not use the object that it belongs to.
// oxlint-disable-next-line no-implied-eval, no-new-func
const filter = new Function("response", "IS_CONTROL", body) as (response: unknown, isControl: number) => void;

/** Removes in place what the client removes from an answer for a consumer that reads committed records. */
export function filterAsTheClient(response: unknown): void {
  filter(response, IS_CONTROL);
}
