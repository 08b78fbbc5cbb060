/** Tests the words for subscriptions, the sum of their lag, and the requests of the forms of the page Topics. */
import { expect, test } from "vitest";
import type { SubscriptionPauseBody } from "../../../shared/api/contract/topics.ts";
import { missingIn, resetTarget, subscribeBody, type SubscribeForm } from "../../../ui/model/subscribe-form.ts";
import { badRecordText, behindBadRecord, brokersOf, lagOf, partsOf } from "../../../ui/model/topic-text.ts";

const FORM: SubscribeForm = {
  cluster: "main",
  topic: " orders ",
  service: "Orders",
  handler: "take",
  fromEarliest: false,
  skipsBadRecords: false,
  options: [],
};
const BAD: SubscriptionPauseBody = {
  reason: "bad-record",
  at: "2026-01-31T10:00:00Z",
  partition: 3,
  offset: 41,
  bad_record: "key-not-utf8",
};

test.each([
  ["kafka://main/orders", ["main", "orders"]],
  ["service://Orders/take", ["Orders", "take"]],
  ["KAFKA://a.b-c/", ["a.b-c", ""]],
  ["no address", ["no address", ""]],
])("the parts of %s", (address, parts) => expect(partsOf(address)).toEqual(parts));

test("the lag is the sum over the partitions whose lag is known, and unknown without any", () => {
  const at = (partition: number, lag?: number) => ({
    partition,
    next_offset: 0,
    skipped: 0,
    ...(lag !== undefined && { lag }),
  });
  expect(lagOf({ partitions: [at(0, 5), at(1, 0), at(2)] })).toEqual({
    records: 5,
    knownPartitions: 2,
    partitions: 3,
  });
  expect(lagOf({ partitions: [at(0)] })).toBeUndefined();
  expect(lagOf({ partitions: [] })).toBeUndefined();
});

test("a pause before a bad record names what is wrong, and the offset after the record", () => {
  expect(badRecordText(BAD)).toBe("its key is not UTF-8");
  expect(badRecordText({ ...BAD, detail: "the key is 17,000 bytes" })).toBe("the key is 17,000 bytes");
  expect(behindBadRecord(BAD)).toEqual({ partition: 3, offset: 42 });
  expect(behindBadRecord({ reason: "order", at: BAD.at })).toBeUndefined();
});

test("the brokers of a cluster come from whichever property names them", () => {
  const cluster = (properties: Record<string, string>) => ({ name: "main", created_at: BAD.at, properties });
  expect(brokersOf(cluster({ "bootstrap.servers": "", "metadata.broker.list": "b:9092" }))).toBe("b:9092");
  expect(brokersOf(cluster({ "client.id": "x" }))).toBeUndefined();
});

test("an incomplete form names what is missing, and a complete one makes the request", () => {
  expect(missingIn({ ...FORM, cluster: "" })).toBe("Choose a cluster.");
  expect(missingIn({ ...FORM, topic: " " })).toBe("Name the topic.");
  expect(missingIn({ ...FORM, service: "" })).toBe("Choose a handler.");
  expect(missingIn({ ...FORM, options: [{ name: "", value: "x" }] })).toBe("Each value of an option needs a name.");
  expect(missingIn(FORM)).toBeUndefined();
  expect(subscribeBody(FORM)).toEqual({ source: "kafka://main/orders", sink: "service://Orders/take", options: {} });
});

test("an option that is typed wins over a choice of the form", () => {
  const options = [{ name: "auto.offset.reset", value: "latest" }];
  expect(subscribeBody({ ...FORM, fromEarliest: true, skipsBadRecords: true, options }).options).toEqual({
    "auto.offset.reset": "latest",
    "stepwell.bad-records": "skip",
  });
});

test("a reset request contains the chosen end, the moment as UTC, or the offset after the bad record", () => {
  expect(resetTarget({ place: "earliest", moment: "" }, undefined, true)).toEqual({ to: "earliest" });
  expect(resetTarget({ place: "time", moment: "2026-01-31T10:00" }, undefined, true)).toEqual({
    time: "2026-01-31T10:00:00.000Z",
  });
  expect(resetTarget({ place: "time", moment: "" }, undefined, true)).toBeUndefined();
  expect(resetTarget({ place: "behind", moment: "" }, BAD, true)).toEqual({ offsets: { 3: 42 } });
  expect(resetTarget({ place: "behind", moment: "" }, undefined, true)).toBeUndefined();
});
