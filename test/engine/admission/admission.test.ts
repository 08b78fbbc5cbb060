/** Admission: what each step of work is answered, on each platform. */
import { describe, expect, test, vi } from "vitest";
import type { OpenCircuit } from "../../../shared/core/model/circuit.ts";
import type { DeploymentId } from "../../../shared/core/model/ids.ts";
import {
  admitAttempt,
  admitClaim,
  admitDriver,
  admitLonger,
  admitMessage,
  waitOf,
} from "../../../shared/engine/admission/admission.ts";
import type { AdmissionPorts } from "../../../shared/engine/admission/answer.ts";
import type { Ownership } from "../../../shared/engine/ports/store-ownership.ts";
import { SHARED } from "../../harness/engine/base-settings.ts";

const NOW_MS = 1_000_000;
const ID = "dp_1" as DeploymentId;
const OPEN: OpenCircuit = {
  deploymentId: ID,
  service: "S",
  sinceMs: NOW_MS - 5_000,
  untilMs: NOW_MS + 1_000,
  pauseMs: 1_000,
  reason: "RT0010: down",
};
const WORK = { acceptance: { target: { service: "S", handler: "h" } } } as Parameters<typeof waitOf>[1];
const ATTEMPT = { step: { kind: "attempt", take: [], dueSleeps: [] }, segment: undefined } as unknown as Parameters<
  typeof admitClaim
>[3];

interface Around {
  readonly ownership?: Ownership;
  readonly slow?: string;
  readonly circuit?: OpenCircuit;
}

function portsOf({ ownership = SHARED, slow, circuit }: Around) {
  const setCircuit = vi.fn(async () => true);
  const registry = {
    isSlow: (service: string) => service === slow,
    ownerOf: () => ID,
    circuits: () => new Map(circuit && [[`${circuit.deploymentId}/${circuit.service}`, circuit]]),
    setCircuit,
  };
  const clock = { nowMs: () => NOW_MS };
  const ids = { random: (size: number) => new Uint8Array(size) };
  return {
    ports: {
      settings: { ownership, opensCircuits: true },
      registry,
      clock,
      ids,
      bulkheads: {},
    } as unknown as AdmissionPorts,
    setCircuit,
  };
}

function driver(
  facts: { readonly isStopping?: boolean; readonly hasRoom?: boolean; readonly mayProbe?: boolean } = {},
) {
  const { isStopping = false, hasRoom = true, mayProbe = false } = facts;
  return { invocation: WORK, isStopping, hasRoomToAttempt: () => hasRoom, attempt: { takeProbe: () => mayProbe } };
}

const GOES = { kind: "go" };
const TO_SLOW_LANE = { kind: "leave", why: "slow-lane" };
const WAITS = { kind: "wait", why: { kind: "circuit", sinceMs: OPEN.sinceMs, deploymentId: ID, name: OPEN.reason } };

describe("in a process that lacks lanes and has no open circuit, such as the local one", () => {
  const { ports } = portsOf({ slow: "S" });

  test("every step goes on", () => {
    expect(admitMessage(ports, { service: "S" })).toEqual(GOES);
    expect(admitDriver(ports, "S", true)).toEqual(GOES);
    expect(admitClaim(ports, {}, WORK, ATTEMPT)).toEqual(GOES);
    expect(admitAttempt(ports, driver())).toEqual(GOES);
    expect(admitLonger(ports, { service: "S", inMainLane: true }, Number.MAX_SAFE_INTEGER)).toEqual(GOES);
    expect(waitOf(ports, WORK)).toBeUndefined();
  });

  test("an attempt leaves a driver that stops or has no room", () => {
    expect(admitAttempt(ports, driver({ isStopping: true }))).toEqual({ kind: "leave", why: "stopping" });
    expect(admitAttempt(ports, driver({ hasRoom: false }))).toEqual({ kind: "leave", why: "no-room" });
  });
});

describe("in the main lane of AWS", () => {
  const { ports } = portsOf({ ownership: { kind: "shared", slowFromMs: 1_000, slowServices: "slow-lane" }, slow: "S" });

  test("a slow service leaves at each step, and another service goes on", () => {
    expect(admitMessage(ports, { service: "S" })).toEqual(TO_SLOW_LANE);
    expect(admitDriver(ports, "S", false)).toEqual(TO_SLOW_LANE);
    expect(admitClaim(ports, {}, WORK, ATTEMPT)).toEqual(TO_SLOW_LANE);
    expect(admitMessage(ports, { service: "T" })).toEqual(GOES);
    expect(admitDriver(ports, "T", false)).toEqual(GOES);
  });

  test("a message that named no service is asked about after its load only", () => {
    expect(admitMessage(ports, {})).toEqual(GOES);
    expect(admitClaim(ports, { service: "S" }, WORK, ATTEMPT)).toEqual(GOES);
  });

  test("a running attempt leaves after five times the limit, if it came through the main lane", () => {
    expect(admitLonger(ports, { service: "S", inMainLane: true }, 4_999)).toEqual(GOES);
    expect(admitLonger(ports, { service: "S", inMainLane: true }, 5_000)).toEqual(TO_SLOW_LANE);
    expect(admitLonger(ports, { service: "S", inMainLane: false }, 5_000)).toEqual(GOES);
  });
});

test("a function with the time of a request alone leaves a handler with a slow note to a worker", () => {
  const { ports } = portsOf({ ownership: { ...SHARED, slowServices: "queue" } });
  expect(admitDriver(ports, "S", true)).toEqual({ kind: "leave", why: "slow-handler" });
  expect(admitDriver(ports, "S", false)).toEqual(GOES);
});

describe("while a circuit is open", () => {
  test("claims and attempts wait, and a reader sees the same reason", async () => {
    const { ports, setCircuit } = portsOf({ circuit: OPEN });
    expect(await admitClaim(ports, {}, WORK, ATTEMPT)).toMatchObject(WAITS);
    expect(await admitAttempt(ports, driver())).toMatchObject(WAITS);
    expect(waitOf(ports, WORK)).toEqual({ ...WAITS, untilMs: OPEN.untilMs });
    expect(setCircuit).not.toHaveBeenCalled();
  });

  test("a step that is no attempt goes on", () => {
    const { ports } = portsOf({ circuit: OPEN });
    const ends = { ...ATTEMPT, step: { kind: "end" } } as typeof ATTEMPT;
    expect(admitClaim(ports, {}, WORK, ends)).toEqual(GOES);
  });

  test("after the pause one claim probes, its attempt asks no second time, and a reader takes nothing", async () => {
    const { ports, setCircuit } = portsOf({ circuit: { ...OPEN, untilMs: NOW_MS - 1 } });
    expect(waitOf(ports, WORK)).toBeDefined();
    expect(setCircuit).not.toHaveBeenCalled();
    expect(await admitClaim(ports, {}, WORK, ATTEMPT)).toEqual({ kind: "go", isProbe: true });
    expect(setCircuit).toHaveBeenCalledTimes(1);
    expect(admitAttempt(ports, driver({ mayProbe: true }))).toEqual(GOES);
    setCircuit.mockResolvedValue(false);
    expect(await admitAttempt(ports, driver())).toMatchObject(WAITS);
  });
});
