/** Writes "The sweeper's own ceilings" of docs/operating/evidence.md, between its two marks. */
import { round } from "./ceilings-section.ts";
import {
  ALONE_S,
  CALLED_EVERY_S,
  dollarsOfLooks,
  dollarsOfSleepers,
  ENTRIES_PER_S,
  ENTRY,
  EXTENSION,
  EXTENSIONS_PER_S,
  LOOK,
  LOOKS_PER_S,
  sleepersOf,
} from "./sweeper-capacity.ts";

const MARKS = ["<!-- sweeper: written by npm run docs -->", "<!-- end of sweeper -->"] as const;
const SLEEPERS = 10_000_000;
const ACCEPTED_PER_S = 1_000;
/** One for each shard in use, and one for the shards that an earlier setting may have used. */
const SLICES = 9;

/**
 * @returns the page with the current table
 * @throws Error if the page has no marks
 */
export function withSweeper(page: string): string {
  const [from, to] = [page.indexOf(MARKS[0]), page.indexOf(MARKS[1])];
  if (from === -1 || to < from) throw new Error("docs/operating/evidence.md has no place for the sweeper's ceilings");
  return `${page.slice(0, from + MARKS[0].length)}\n\n${section()}\n\n${page.slice(to)}`;
}

function section(): string {
  const walkS = SLEEPERS / (SLICES * ENTRIES_PER_S);
  return `Requests are counted (\`test/dynamodb/sweeper-capacity.test.ts\`); milliseconds of a processor are medians of three runs of that test on one core of a test machine; a function of 512 MB has 29 % of a core. Nothing of it was tried on AWS.

| what | how many | how that comes about |
|---|---|---|
| looks at acceptances, of one process | ${round(LOOKS_PER_S)} a second | ${LOOK.requests} requests and ${LOOK.cpuMs} ms of a processor each |
| acceptances that the pass follows alone | ${round((LOOKS_PER_S * ALONE_S) / CALLED_EVERY_S)} a second | ${ALONE_S} s of each ${CALLED_EVERY_S} s; beyond that it cuts slices |
| workers that ${round(ACCEPTED_PER_S)} acceptances a second keep busy | ${(ACCEPTED_PER_S / LOOKS_PER_S).toFixed(1)} of 100 | looks ÷ looks of one process |
| extensions, of one process | ${round(EXTENSIONS_PER_S)} a second | ${EXTENSION.requests} requests and ${EXTENSION.cpuMs} ms of a processor each, the look among them |
| long sleepers that one process extends for ever | ${round(sleepersOf(1))} | each once in 15 days |
| a walk over ${round(SLEEPERS)} sleepers | ${Math.ceil(walkS)} s | ${SLICES} slices side by side, ${ENTRY.cpuMs} ms of a processor an entry; every six hours |
| dollars a month of ${round(ACCEPTED_PER_S)} acceptances a second | ${round(dollarsOfLooks(ACCEPTED_PER_S))} | ${LOOK.readUnits} read units a look, and the time of functions |
| dollars a month of ${round(SLEEPERS)} sleepers | ${round(dollarsOfSleepers(SLEEPERS))} | ${EXTENSION.writeUnits} write units twice a month, and walks of ${ENTRY.bytes} bytes an entry |`;
}
