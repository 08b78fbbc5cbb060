/** Control messages as values and as bytes; the bytes are written by hand. */
import type { GoldenVector } from "./golden-vector.ts";
import { text } from "./hex.ts";

const ID = "0a18 010101010101010101010101010101010101010101010101";
const start = {
  id: new Uint8Array(24).fill(1),
  debugId: "inv_x",
  knownEntries: 1,
  stateMap: [],
  partialState: false,
  key: "",
  retryCountSinceLastStoredEntry: 0,
  durationSinceLastStoredEntryMs: 0,
  randomSeed: 0n,
};
const future = { completions: [], signals: [], namedSignals: [], nested: [], combinator: 0 };
const error = {
  code: 500,
  message: "boom",
  stacktrace: "at x",
  relatedCommandIndex: 1,
  relatedCommandName: "r0",
  relatedCommandType: 0x0411,
  nextRetryDelayMs: 1500n,
  behavior: 0,
};
const ERROR_FIELDS = "08f403 1204626f6f6d 1a0461742078 2001 2a027230 309108 40dc0b";

export const CONTROL_VECTORS: readonly GoldenVector[] = [
  { name: "Start", versions: [5], hex: `0000000000000023 ${ID} 1205696e765f78 1801`, value: start },
  {
    name: "Start",
    versions: [6],
    hex: `0000000000000025 ${ID} 1205696e765f78 1801 482a`,
    value: { ...start, randomSeed: 42n },
  },
  {
    name: "Start",
    versions: [7],
    hex: `000000000000004c ${ID} 1205696e765f78 1802 2206 0a016b120176 2801 32016b 3803 40e807
      48ffffffffffffffffff01 52027363 5a026c6b 6202696b`,
    value: {
      ...start,
      knownEntries: 2,
      stateMap: [{ key: text("k"), value: text("v") }],
      partialState: true,
      key: "k",
      retryCountSinceLastStoredEntry: 3,
      durationSinceLastStoredEntryMs: 1000,
      randomSeed: 2n ** 64n - 1n,
      scope: "sc",
      limitKey: "lk",
      idempotencyKey: "ik",
    },
  },
  {
    name: "Suspension",
    versions: [5, 6],
    hex: "0001000000000006 0a0101 120101",
    value: { waitingCompletions: [1], waitingSignals: [1], waitingNamedSignals: [] },
  },
  {
    name: "Suspension",
    versions: [5, 6],
    hex: "000100000000000a 0a020102 120111 1a0161",
    value: { waitingCompletions: [1, 2], waitingSignals: [17], waitingNamedSignals: ["a"] },
  },
  {
    name: "Suspension",
    versions: [7],
    hex: "000100000000000a 2208 0a0101 120101 2801",
    value: { awaitingOn: { ...future, completions: [1], signals: [1], combinator: 1 } },
  },
  {
    name: "Suspension",
    versions: [7],
    hex: "000100000000000f 220d 120101 2206 0a020102 2804 2801",
    value: {
      awaitingOn: {
        ...future,
        signals: [1],
        nested: [{ ...future, completions: [1, 2], combinator: 4 }],
        combinator: 1,
      },
    },
  },
  { name: "Error", versions: [5, 6], hex: `000200000000001b ${ERROR_FIELDS}`, value: error },
  { name: "Error", versions: [7], hex: `000200000000001d ${ERROR_FIELDS} 4801`, value: { ...error, behavior: 1 } },
  { name: "End", versions: [5, 6, 7], hex: "0003000000000000", value: {} },
  { name: "CommandAck", versions: [5, 6, 7], hex: "0004000000000002 0803", value: { commandIndex: 3 } },
  {
    name: "ProposeRunCompletion",
    versions: [5, 6],
    hex: "0005000000000005 0801 720130",
    value: { resultCompletionId: 1, value: text("0") },
  },
  {
    name: "ProposeRunCompletion",
    versions: [7],
    hex: "0005800000000005 0801 720130",
    value: { resultCompletionId: 1, value: text("0") },
  },
  {
    name: "ProposeRunCompletion",
    versions: [5, 6],
    hex: "000500000000000c 0801 7a08 089003 1203626164",
    value: { resultCompletionId: 1, failure: { code: 400, message: "bad", metadata: [] } },
  },
  {
    name: "ProposeRunCompletion",
    versions: [6],
    hex: "0005000000000014 0801 7a10 089003 1203626164 1a060a016b120176",
    value: { resultCompletionId: 1, failure: { code: 400, message: "bad", metadata: [{ key: "k", value: "v" }] } },
  },
  {
    name: "AwaitingOn",
    versions: [7],
    hex: "0006000000000009 0a05 0a0101 2801 1001",
    value: { awaitingOn: { ...future, completions: [1], combinator: 1 }, executingSideEffects: true },
  },
  { name: "ProposeRunCompletionAck", versions: [7], hex: "0007000000000002 0801", value: { completionId: 1 } },
];
