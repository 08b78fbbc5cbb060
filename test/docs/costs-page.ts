/** Writes docs/costs.md from counted calls and docs/prices.json. */
import { lookAfterMs } from "../../shared/engine/attempt/hold.ts";
import { keepUntilS } from "../../shared/engine/store/ttl.ts";
import { SHARED } from "../harness/engine/base-settings.ts";
import type { CostCounts } from "./cost-counts.ts";
import { accessLines, billOf, idleMonth, REQUESTS_PER_MESSAGE, totalOf, waiting } from "./costs.ts";
import { ASSUMED, COMPILED_ON, dollars, PRICES, REGION, type PriceName } from "./prices.ts";
import { receiptBytes } from "./receipt-bytes.ts";
import type { TickCounts } from "./schedule-counts.ts";
import type { StackCounts } from "./stack-counts.ts";

export interface CostFacts {
  readonly shapes: readonly { readonly name: string; readonly counts: CostCounts }[];
  readonly sweep: CostCounts;
  /** The sweeper's one look at each accepted invocation. */
  readonly look: CostCounts;
  /** A month of one waiting invocation. */
  readonly month: CostCounts & { readonly looks: number };
  readonly tick: TickCounts;
  readonly stack: StackCounts;
}

/** Stepwell's own metrics that have values while requests come; the dashboard shows them. */
export const WORKING_METRICS = 15;
/**
 * The number of metrics that can have values: one for each of five sources, four endings, four states after a segment and seven
 * statuses, and five more.
 */
const KINDS_OF_METRICS = 25;

const BATCH = 10;
const MILLION = 1_000_000;
const SLOW_MS = 100;
const MINUTE_MS = 60_000;
const WAITING = 1_000;
/** The sweeper is called every five minutes. */
const PASSES_A_MONTH = 8_760;

export function costsPage(facts: CostFacts): string {
  return [
    opening(facts),
    million(facts),
    time(facts.stack),
    waits(facts),
    schedules(facts),
    idle(facts),
    stored(),
    prices(),
  ].join("\n");
}

/** The shapes of the summary, from the smallest payload to the largest, in the words of a reader. */
const SUMMED = [
  ["call without steps", "calls, with payloads up to 600 bytes"],
  ["call with 5 runs", "calls with five steps each"],
  ["call with 17 KB of JSON in and out", "calls with 17 KB of JSON in and out"],
  ["call with 100 KB of noise in and out", "calls with 100 KB in and out that do not compress"],
  ["call with 1 MB of noise in and out", "calls with 1 MB in and out that do not compress"],
] as const;

/** What most readers look for: the price by the size of the payload. */
function summary({ shapes, stack }: CostFacts): string {
  const rows = SUMMED.map(([name, words]) => {
    const shape = shapes.find((one) => one.name === name);
    if (shape === undefined) throw new Error(`no shape is named ${name}`);
    return `| ${words} | **${money(totalOf(billOf(shape.counts, 1, stack.memoryMb)))}** |`;
  });
  return `| a million of | dollars |
|---|---|
${rows.join("\n")}

**Large payloads decide the price:** DynamoDB bills each KB that is written, and text that does not compress is written twice, as input and as result. Keep payloads beyond some
10 KB in a store of their own, such as S3, and pass a reference.`;
}

function opening(facts: CostFacts): string {
  return `# What it costs on AWS

${summary(facts)}

This page is written by \`npm run docs\`, and \`npm test\` fails where it is not the current one. It multiplies counted calls with list
prices of ${REGION} as compiled on ${COMPILED_ON} ([prices.json](prices.json)); free tiers are left out. It is no bill: nothing here was run on AWS itself.
The same figures for programs: [costs.json](costs.json).

- **Counted:** write units of the table and its indexes, read units, messages and schedules, by playing each shape on the real engine
  (\`test/docs/cost-counts.ts\`, on the stage of the write budget, whose small shapes a DynamoDB engine counts alike: \`node test/dynamodb/run.mjs\`);
  and alarms, dashboards and sizes in the template of the stack.
- **Derived:** a message is one request to be sent, and three more to be received, hidden and deleted, which the messages of a batch share. Each has the
  surcharge of a fair queue: ${surchargePercent()} % of what the queue costs here, which \`aws.fair-queue\` = \`none\` saves. Each request to an API calls one
  function, and each batch another.
- **Assumed:** ${Object.values(ASSUMED)
    .map(({ value, what }) => `${value} ${what}`)
    .join("; ")}.
- **Left out:** your own functions, data transfer, cold starts with their reads of the registry and the parameters, every further 512 KB
  of a request to an API, the month for which logs are kept, and the access log of the admin API.
`;
}

function surchargePercent(): number {
  const surcharge = dollars("fairQueueRequest", 1);
  return Math.round((100 * surcharge) / (dollars("queueRequest", 1) + surcharge));
}

function million({ shapes, stack }: CostFacts): string {
  const rows = shapes.map(({ name, counts }) => {
    const [alone, tens] = [billOf(counts, 1, stack.memoryMb), billOf(counts, BATCH, stack.memoryMb)];
    const { tableWrites, indexWrites, readUnits, messages, schedules, requests } = counts;
    const beside = schedules === 0 ? `${messages}` : `${messages}, ${schedules} schedule`;
    const parts = [alone.table, alone.queue + alone.schedules, alone.api, alone.functions, alone.logs].map(money);
    const cells = [name, `${tableWrites} + ${indexWrites}`, readUnits, beside, requests, ...parts];
    return `| ${cells.join(" | ")} | **${money(totalOf(alone))}** | **${money(totalOf(tens))}** |`;
  });
  return `## A million of each

In dollars. *alone* is a quiet system, where a worker takes one message at a time; *in tens* a busy one, where it takes ten. Payloads are up
to 600 bytes unless the shape names another size. A call sends one message as its safety net, which a worker takes when the lease is over. "Noise" is random text, which compression does not shrink.
The columns from *table* to *logs* are the parts of *alone*. An access log of the ingress (\`ingressAccessLog\`, off by default) adds ${money(accessLines(MILLION))} per
million requests.

| shape | writes: table + indexes | reads | messages | requests | table | queue, schedules | API | functions | logs | alone | in tens |
|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}

${example(shapes[0]!, stack)}
`;
}

/** Writes out the computation of one row, so that a reader can compute the other rows in the same way. */
function example({ name, counts }: CostFacts["shapes"][number], { memoryMb }: StackCounts): string {
  const bill = billOf(counts, 1, memoryMb);
  const price = (what: PriceName) => Number(dollars(what, MILLION).toFixed(4));
  const writes = counts.tableWrites + counts.indexWrites;
  const sentAndTaken = counts.sends + REQUESTS_PER_MESSAGE * counts.messages;
  const calls = counts.requests + counts.messages;
  const each = `(${price("functionCall")} + ${ASSUMED.functionMs.value / 1000} s × ${memoryMb / 1024} GB × ${price("functionGbSecond")})`;
  return `By hand, a million of "${name}" alone:

- table: ${writes} writes × ${price("writeUnit")} + ${counts.readUnits} reads × ${price("readUnit")} = ${money(bill.table)}
- queue: ${sentAndTaken} requests × (${price("queueRequest")} + ${price("fairQueueRequest")}) = ${money(bill.queue)}
- API: ${counts.requests} request × ${price("apiRequest")} = ${money(bill.api)}
- functions: ${calls} calls × ${each} = ${money(bill.functions)}
- logs: ${calls} calls × ${ASSUMED.logBytesPerCall.value / 1000} GB × ${dollars("logGb", 1)} = ${money(bill.logs)}
- in all ${money(totalOf(bill))}`;
}

function time({ memoryMb }: StackCounts): string {
  const each = waiting(MILLION, SLOW_MS, memoryMb);
  const looks = looksInAMinute();
  return `## Waiting for handlers

A function of ours waits while a handler computes, and is paid for it: **${money(each)}** per million attempts for each ${SLOW_MS} ms (${memoryMb} MB on arm64), or
${money(each / BATCH)} where a worker waits for ten at a time. A handler that sleeps, waits for a signal or for a call that takes long holds no function.

An attempt over HTTP/2 that stays open over many steps writes what the same steps write in attempts of their own, and sends the journal once. It is
half-closed as soon as its handler only waits; \`worker.invoker.open-wait\` holds it for longer, at the same price for each ${SLOW_MS} ms, and your deployment
may be paid for meanwhile, too. While a step takes longer than a second, the driver reads what has arrived: ${looks} times in a step of a minute,
${money(dollars("readUnit", MILLION * looks))} for a million such steps, whose minutes of waiting cost ${money(waiting(MILLION, MINUTE_MS, memoryMb))}. Quick steps cost no such read.
`;
}

/** The reads of arrivals while one step of an open exchange takes a minute. */
function looksInAMinute(): number {
  let looks = 0;
  for (let atMs = lookAfterMs(0); atMs < MINUTE_MS; atMs += lookAfterMs(atMs)) looks++;
  return looks;
}

function waits({ look, month, stack }: CostFacts): string {
  const { looks, tableWrites, indexWrites, readUnits } = month;
  const kept = totalOf(billOf(month, 1, stack.memoryMb)) / (MILLION / WAITING);
  return `## What the sweeper looks at

The sweeper looks at each accepted invocation once, some minutes later. The look at the invocation itself takes ${look.readUnits} read unit, **${money(dollars("readUnit", MILLION * look.readUnits))}** per million.
It takes as much again for the key that the invocation held, and for each call and each send in its last segment. It takes twice as much for
a signal or an awakeable, and three times as much for a promise, with one unit more for each waiter. The table above contains none of these reads.

An invocation that waits for an awakeable, a promise or a long call has no timer. The sweeper looks at it after ten minutes. The time to each further look is a
quarter of the time that the invocation has waited, but at most a day. A look that finds nothing sends no wake, and writes the moment of the next look; two of the looks extend the time for which the stored items are kept. In 30 days
that is ${looks} looks, ${tableWrites} + ${indexWrites} writes and ${readUnits} reads: **${money(kept)}** for ${WAITING} that wait so long.
`;
}

function schedules({ tick }: CostFacts): string {
  const { tableWrites, indexWrites, readUnits, itemBytes } = tick;
  const table = dollars("writeUnit", MILLION * (tableWrites + indexWrites)) + dollars("readUnit", MILLION * readUnits);
  const message = REQUESTS_PER_MESSAGE + 1;
  const queue = dollars("queueRequest", MILLION * message) + dollars("fairQueueRequest", MILLION * message);
  const pass = Math.ceil(itemBytes / 4096);
  const idleUsd = dollars("readUnit", PASSES_A_MONTH * pass) + dollars("tableGbMonth", itemBytes / 1e9);
  return `## Schedules

A tick of a [schedule](schedules.md) writes ${tableWrites} + ${indexWrites} units, with the acceptance of its invocation and the note of its end, reads ${readUnits}, and takes a message of its own: **${money(table + queue)}** per
million ticks, beside what a send costs without its request and its acceptance. A moment more than 15 minutes away also takes a schedule of EventBridge Scheduler, ${money(dollars("scheduleFired", MILLION))} per million, and a second message.
With an input of more than about a KB, each further KB adds two units to each of the writes.

A schedule that does nothing, because it is paused or its next moment is far, costs its ${Math.round(itemBytes / 100) / 10} KB and a read in each pass of the sweeper: **${money(1_000 * idleUsd)}** a month for a thousand of them.
An environment without schedules pays nothing for them.
`;
}

function idle({ sweep, stack }: CostFacts): string {
  const items = idleMonth(sweep, stack);
  const sum = items.reduce((total, [, usd]) => total + usd, 0);
  const rows = items.map(([what, usd]) => `| ${what} | ${money(usd)} |`);
  return `## A month without a request

| what | dollars |
|---|---|
${rows.join("\n")}
| **in all** | **${money(sum)}** |

Nothing else of the stack is paid by the hour: no poller, no capacity, no address, no network. A KMS key of your own (\`encryptionKey\`) adds
${money(dollars("keyMonth", 1))} and its requests. While the stack has requests, some ${WORKING_METRICS} metrics of our own have values: up to ${money(dollars("metricMonth", WORKING_METRICS))} a month, by the hours.
There cannot be more than ${KINDS_OF_METRICS}, and one for each code with which attempts fail: no label is a service, a handler or a key, whatever runs here.
While an invocation is open, even if it only sleeps, the sweeper writes two of these metrics or more: one for each status that an open invocation has, and the age of the oldest ready one.
`;
}

function stored(): string {
  const [table, recovery] = [dollars("tableGbMonth", 1), dollars("recoveryGbMonth", 1)];
  const keptDays = keepUntilS({ ownership: SHARED }, { completionRetentionMs: 86_400_000 }, 0) / 86_400;
  return `## What is kept

${money(table + recovery)} per GB and month: ${money(table)} for the table and ${money(recovery)} for its point-in-time recovery. An ended invocation is kept for its retention, by default a
day, and for ${keptDays - 1} days more, because the table deletes expired items even if no sweeper runs, and an open invocation must survive two weeks without one. A million calls whose items and index entries take 3 KB
together are 3 GB for ${keptDays} days, ${money((3 * keptDays * (table + recovery)) / 30)}.

Each segment contains the moments at which its entries were received. They are a part of the writes above, and take these bytes:

| segment | bytes of the moments |
|---|---|
${receiptBytes()
  .map(({ what, bytes }) => `| ${what} | ${bytes} |`)
  .join("\n")}
`;
}

function prices(): string {
  const rows = Object.values(PRICES).map(({ what, usd, per, source }) => {
    const text = per === 1 ? `${usd}` : `${usd} per million`;
    return `| ${what} | ${text} | ${source} |`;
  });
  return `## Prices

| what | dollars | source |
|---|---|---|
${rows.join("\n")}
`;
}

function money(usd: number): string {
  if (usd !== 0 && usd < 0.1) return usd.toFixed(3);
  return usd < 100 ? usd.toFixed(2) : usd.toFixed(0);
}
