/** Writes the computed part of "Ceilings" in docs/operating/evidence.md, between its two marks. */
import {
  beside,
  ceilings,
  HANDLER_MS,
  listing,
  RATES,
  SHARDS,
  SHARDS_MAX,
  type Ceiling,
  type CeilingFacts,
} from "./ceilings.ts";
import { ASSUMED } from "./prices.ts";
import { QUOTAS, QUOTAS_COMPILED_ON } from "./quotas.ts";

const MARKS = ["<!-- ceilings: written by npm run docs -->", "<!-- end of ceilings -->"] as const;
const FIRST = 3;

/**
 * @returns the page with the current tables
 * @throws Error if the page has no marks
 */
export function withCeilings(page: string, facts: CeilingFacts): string {
  const [from, to] = [page.indexOf(MARKS[0]), page.indexOf(MARKS[1])];
  if (from === -1 || to < from) throw new Error("docs/operating/evidence.md has no place for the ceilings");
  return `${page.slice(0, from + MARKS[0].length)}\n\n${tables(facts)}\n\n${page.slice(to)}`;
}

function tables(facts: CeilingFacts): string {
  return [assumptions(facts), rates(facts), parts(facts), shards(facts), others(facts)].join("\n\n");
}

function assumptions({ call }: CeilingFacts): string {
  const { tableWrites, listWrites, readUnits, messages } = call;
  return `One call is "${call.name}" of [costs.md](../costs.md): ${tableWrites} writes of the table, ${listWrites} write of the index \`list\`, ${readUnits} reads, ${messages} message, counted on the
engine. Assumed: ${ASSUMED.functionMs.value} ms of each call of a function of ours, and a handler that is a Lambda function of the same account and works for ${HANDLER_MS} ms.
Quotas are AWS's defaults as compiled on ${QUOTAS_COMPILED_ON} ([quotas.json](../quotas.json)). Load is spread evenly over seconds and over ids.`;
}

/** The parts of the stack that are fullest at each rate, and their load. */
function rates(facts: CeilingFacts): string {
  const all = ceilings(facts);
  const rows = RATES.map((rate) => {
    const fullest = all.slice(0, Math.max(FIRST, all.filter(({ callsPerS }) => callsPerS < rate).length));
    const [first, second, third, ...more] = fullest.map((each) => `${each.what}: ${used(each, rate)}`);
    return `| ${count(rate)} | ${[first, second, third].join(" | ")} | ${more.join("; ") || "–"} |`;
  });
  return `| calls a second | first | second | third | full as well |
|---|---|---|---|---|
${rows.join("\n")}`;
}

function used({ callsPerS }: Ceiling, rate: number): string {
  const share = rate / callsPerS;
  return share > 1 ? `**full, ${share.toFixed(1)} times over**` : `${Math.ceil(share * 100)} % used`;
}

function parts(facts: CeilingFacts): string {
  return `| what | is full at, calls a second | how that comes about, a second | what moves it |
|---|---|---|---|
${ceilings(facts).map(row).join("\n")}`;
}

function shards(facts: CeilingFacts): string {
  const [one, eight, sixteen] = [1, SHARDS, SHARDS_MAX].map((count) => listing(facts, count)) as [
    Ceiling,
    Ceiling,
    Ceiling,
  ];
  return `With \`aws.index-shards\` = ${SHARDS_MAX} the index \`list\` is full at ${round(sixteen.callsPerS)} in place of ${round(eight.callsPerS)} calls a second (${sixteen.sum}), and
with 1 at ${round(one.callsPerS)}. When an index is throttled, DynamoDB also throttles the writes to the table that feed the index, acceptances among them.`;
}

function others(facts: CeilingFacts): string {
  return `These do not depend on how many calls there are in all:

| what | is full at, a second | how that comes about, a second | what moves it |
|---|---|---|---|
${beside(facts).map(row).join("\n")}`;
}

function row({ what, callsPerS, sum, movedBy }: Ceiling): string {
  return `| ${what} | ${round(callsPerS)} | ${sum} | ${movedBy} |`;
}

/** Rounds down to two significant digits: no quota is more precise. */
export function round(value: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return count(Math.floor(value / unit + 1e-9) * unit);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

export const QUOTA_SOURCES = Object.values(QUOTAS).map(({ source }) => source);
