/**
 * The parts of the proof: which command plays each, and how much its short and its long form play. A long form consists of chunks, so
 * that it can stop between two of them and go on later.
 */

import { SUITES } from "../planted/catalogue.mjs";

const SEEDED = "npm run test:simulation --";

/** @returns one chunk for each range of seeds */
function seeds(command, chunks, count, from = 1) {
  return Array.from({ length: chunks }, (_, at) => ({
    command,
    env: { SEEDS: String(count), SEED_FROM: String(from + at * count) },
  }));
}

export const PARTS = [
  {
    name: "seeds",
    what: "random programs under drawn faults in virtual time: expiry, downtimes, late indexes, lost messages, deaths",
    short: seeds(`${SEEDED} test/simulation/seeds/seeds-`, 1, 400),
    long: seeds(`${SEEDED} test/simulation/seeds/seeds-`, 20, 500, 100_001),
  },
  {
    name: "topics",
    what: "a model of a broker with transactions, resets and repeated batches, in virtual time",
    short: seeds(`${SEEDED} test/simulation/topics/topics-seeds`, 1, 200),
    long: seeds(`${SEEDED} test/simulation/topics/topics-seeds`, 10, 1_000, 100_001),
  },
  {
    name: "crash-points",
    what: "each port call of each scenario is broken in each way",
    short: [{ command: "npm run test:crash-points", env: { ROTATION: "0" } }],
    long: [{ command: "npm run test:crash-points", env: { ROTATION: "all" } }],
  },
  {
    name: "specification",
    what: "random histories through an executable specification and through the engine",
    short: seeds("npm run test:specification -- histories-", 1, 1_000),
    long: seeds("npm run test:specification -- histories-", 70, 500, 100_001),
  },
  {
    name: "beside-reference",
    what: "random programs on this server and on the reference's binary",
    short: seeds("npm run test:beside-reference -- beside-reference.test", 1, 200),
    long: seeds("npm run test:beside-reference -- beside-reference.test", 10, 500),
  },
  {
    name: "beside-reference-limits",
    what: "random rules and loads on this server and on the reference's binary: who runs, and who waits",
    short: seeds("npm run test:beside-reference -- limits.test", 1, 8),
    long: seeds("npm run test:beside-reference -- limits.test", 10, 40),
  },
  {
    name: "histories",
    what: "shared things are linearizable: on one table, and on a local process that is killed",
    short: [
      ...seeds("npm run test:histories -- one-table", 1, 300),
      kills("npm run test:histories -- local-process", "HISTORY", 25),
    ],
    long: [
      ...seeds("npm run test:histories -- one-table", 10, 1_000, 100_001),
      ...Array.from({ length: 4 }, () => kills("npm run test:histories -- local-process", "HISTORY", 100)),
    ],
  },
  {
    name: "emulated-aws",
    what: "mixed load and histories on an emulated AWS while functions are killed and stopped, requests throttled and messages lost",
    short: [{ command: "npm run test:load-aws", env: {} }],
    long: Array.from({ length: 6 }, () => ({ command: "npm run test:load-aws -- --minutes 5", env: {} })),
  },
  {
    name: "kills",
    what: "a control plane, its deployment, or both under kill -9; clocks that are set, standstills longer than a lease, a slow disk",
    short: [
      kills("npm run test:crash -- test/crash/crash.test.ts", "CRASH", 200),
      { command: "npm run test:crash -- test/crash/disturbed-time.test.ts", env: {} },
    ],
    long: [
      ...Array.from({ length: 4 }, () => ({
        command: "npm run test:crash -- test/crash/crash.test.ts",
        env: { STEPWELL_CRASH_KILLS: "300", STEPWELL_CRASH_JOBS: "75" },
      })),
      ...Array.from({ length: 4 }, () => ({
        command: "npm run test:crash -- test/crash/disturbed-time.test.ts",
        env: { STEPWELL_CRASH_ROUNDS: "3" },
      })),
    ],
  },
  {
    name: "disk",
    what: "a full disk, flipped bits, torn writes and missing files",
    short: [
      { command: "npx vitest run test/adapters/embedded/damage.test.ts test/bad-input/disk-full.test.ts", env: {} },
    ],
    long: [{ command: "npx vitest run test/adapters/embedded test/bad-input/disk-full.test.ts", env: {} }],
  },
  {
    name: "planted",
    what: "mistakes that are planted into the engine, each of which a suite has to catch",
    short: [{ command: "npm run test:planted", env: { ROTATION: "0" } }],
    long: Object.keys(SUITES).map((suite) => ({
      command: `npm run test:planted -- ${suite}`,
      env: { ROTATION: "all" },
    })),
  },
];

function kills(command, suite, count) {
  return { command, env: { [`STEPWELL_${suite}_KILLS`]: String(count) } };
}
