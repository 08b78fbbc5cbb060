import { describe, expect, test } from "vitest";
import { advance } from "../../../shared/core/invocation/advance.ts";
import type { AttemptEnded, AttemptOutcome } from "../../../shared/core/invocation/event.ts";
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import { append } from "../../../shared/core/invocation/journal.ts";
import type { Transition } from "../../../shared/core/invocation/transition.ts";
import {
  attemptEnded,
  awaiting,
  completion,
  failing,
  FAILURE,
  invocationIn,
  NOW_MS,
  ONE_THEN_KILL,
  ONE_THEN_PAUSE,
  output,
  PIN,
  run,
  taken,
  UNLIMITED,
} from "./sample-invocation.ts";

const POLICIES = { pause: ONE_THEN_PAUSE, kill: ONE_THEN_KILL, unlimited: UNLIMITED };
type PolicyName = keyof typeof POLICIES;

const ENDINGS: Readonly<Record<string, AttemptOutcome>> = {
  ended: { kind: "ended" },
  suspended: { kind: "suspended", awaiting: awaiting(1) },
  cut: { kind: "cut" },
  failed: failing(),
  "failed with a delay": failing({ nextRetryDelayMs: 7 }),
  "failed, pause": failing({ behavior: "pause" }),
  "failed, fail": failing({ behavior: "fail" }),
};

const CONTENTS: Readonly<Record<string, Partial<AttemptEnded>>> = {
  "with entries": { entries: [run(2)], sent: [taken("c1", completion(1))] },
  "with sent only": { sent: [taken("c1", completion(1))] },
  "with neither": {},
};

/**
 * The step that follows the ending under each policy. If an ending writes a segment even for an attempt that has no entries and
 * got no notifications, the text of the step also names the state after the segment, behind a comma.
 */
const ROWS: readonly (readonly [ending: string, step: Readonly<Record<PolicyName, string>>])[] = [
  ["ended", all("end, completed success")],
  ["suspended", all("poll, suspended")],
  ["cut", all("park ready")],
  ["failed", { pause: "park paused", kill: "end, completed failure", unlimited: "park backing-off" }],
  ["failed with a delay", all("park backing-off")],
  ["failed, pause", all("park paused")],
  ["failed, fail", all("end, completed failure")],
];

function all(step: string): Record<PolicyName, string> {
  return { pause: step, kill: step, unlimited: step };
}

function told({ step, segment }: Transition): string {
  const stepText = step.kind === "park" ? `park ${step.status}` : step.kind;
  if (segment === undefined) return stepText;
  const { after } = segment;
  return `${stepText}, ${after.kind}${after.kind === "completed" ? ` ${after.result.kind}` : ""}`;
}

/** The journal already has an output, as after a lost End message, so an attempt may end without an output. */
function running(more: Partial<Invocation> = {}): Invocation {
  const invocation = invocationIn("running", more);
  return { ...invocation, journal: append(invocation.journal, [output("before")]) };
}

describe("the end of an attempt", () => {
  const cases = ROWS.flatMap(([ending, steps]) =>
    Object.keys(CONTENTS).flatMap((content) =>
      (Object.keys(POLICIES) as PolicyName[]).map((policy) => {
        const step = steps[policy];
        const always = step.includes(",");
        const expected = always || content === "with neither" ? step : `${step}, running`;
        return { ending, content, policy, expected };
      }),
    ),
  );

  test.each(cases)("$ending $content under $policy: $expected", ({ ending, content, policy, expected }) => {
    const event = attemptEnded(ENDINGS[ending]!, { ...CONTENTS[content], policy: POLICIES[policy] });
    const before = running();
    const transition = advance(before, event);
    expect(told(transition)).toBe(expected);
    const { segment } = transition;
    if (segment === undefined) return;
    expect(segment.index).toBe(before.segmentIndex + 1);
    expect(segment.consumed).toEqual(event.sent);
    expect(segment.entries).toEqual(event.entries);
    expect(segment.attempt).toEqual(event.attempt);
  });

  test("the last output wins, and an output of this attempt wins over one of the journal", () => {
    const result = (entries: AttemptEnded["entries"]) => {
      const { phase } = advance(running(), attemptEnded({ kind: "ended" }, { entries })).next;
      return phase.status === "completed" && phase.result.kind === "success"
        ? new TextDecoder().decode(phase.result.value)
        : undefined;
    };
    expect(result([])).toBe("before");
    expect(result([output("first"), output("second")])).toBe("second");
  });

  test("a suspension keeps as fresh the completions that its attempt created, but not those sent to the attempt", () => {
    const entries = [run(2), completion(2)];
    const event = attemptEnded(ENDINGS["suspended"]!, { entries, sent: [taken("c1", completion(1))] });
    const { phase } = advance(running(), event).next;
    expect(phase).toMatchObject({ status: "suspended", fresh: [completion(2)] });
  });
});

describe("pinning the deployment", () => {
  test("happens with the first stored entry", () => {
    const event = attemptEnded(failing(), { entries: [run(2)] });
    const { segment, next } = advance(running(), event);
    expect(segment?.pin).toEqual(PIN);
    expect(next.pin).toEqual(PIN);
  });

  test("does not happen in an attempt without entries", () => {
    const sent = [taken("c1", completion(1))];
    for (const ending of Object.values(ENDINGS)) {
      expect(advance(running(), attemptEnded(ending, { sent })).next.pin).toBeUndefined();
    }
  });

  test("happens once: a later segment does not repeat the pin", () => {
    const pin = { ...PIN, protocolVersion: 5 };
    const { segment, next } = advance(running({ pin }), attemptEnded(failing(), { entries: [run(2)] }));
    expect(segment?.pin).toBeUndefined();
    expect(next.pin).toBe(pin);
  });
});

describe("the failure of an attempt", () => {
  test("names the deployment only while the invocation has no pin", () => {
    const { failure } = advance(running({ pin: PIN }), attemptEnded(failing()));
    expect(failure).toEqual({ ...FAILURE, startedAtMs: NOW_MS - 10, attempt: 2, times: 1 });
    const noDeployment = { ...PIN, deploymentId: "" as typeof PIN.deploymentId };
    expect(advance(running(), attemptEnded(failing(), { pin: noDeployment })).failure).toEqual(failure);
  });

  test("without new entries is an event the first time, and no event if the next attempt fails in the same way", () => {
    const first = advance(running(), attemptEnded(failing()));
    const about = { deploymentId: PIN.deploymentId, startedAtMs: NOW_MS - 10, attempt: 2 };
    expect(first.failure).toEqual({ ...FAILURE, ...about, times: 1 });
    const again = advance({ ...first.next, phase: { status: "running" } }, attemptEnded(failing()));
    expect(again.failure).toBeUndefined();
    expect(again.next.lastFailure).toMatchObject({ times: 2 });
    const other = { ...FAILURE, message: "another boom" };
    const third = advance({ ...again.next, phase: { status: "running" } }, attemptEnded(failing({ failure: other })));
    const { attempt, startedAtMs } = about;
    const before = { times: 2, attempt, startedAtMs, atMs: FAILURE.atMs };
    expect(third.failure).toEqual({ ...other, ...about, times: 1, before });
  });

  test("with new entries is in the segment", () => {
    const { segment, failure } = advance(running(), attemptEnded(failing(), { entries: [run(2)] }));
    expect(segment?.failure).toEqual({ ...FAILURE, attempt: 2, times: 1 });
    expect(failure).toBeUndefined();
  });

  test("is cleared when the invocation moves on", () => {
    const invocation = running({ lastFailure: FAILURE });
    expect(advance(invocation, attemptEnded(ENDINGS["suspended"]!)).next.lastFailure).toBeUndefined();
    expect(advance(invocation, attemptEnded(ENDINGS["ended"]!)).next.lastFailure).toBeUndefined();
  });

  test("with behavior fail ends the invocation with the code and message of the error, without its stack", () => {
    const failure = { ...FAILURE, code: 512, message: "never again", stacktrace: "at home" };
    const { phase } = advance(running(), attemptEnded(failing({ behavior: "fail", failure }))).next;
    expect(phase).toMatchObject({
      status: "completed",
      killed: false,
      result: { kind: "failure", failure: { code: 512, message: "never again" } },
    });
    expect(JSON.stringify(phase)).not.toContain("at home");
  });

  test("that uses up the retries of a policy with kill ends the invocation with the error's stack, and does not count as a kill", () => {
    const failure = { ...FAILURE, stacktrace: "at home" };
    const { phase } = advance(running(), attemptEnded(failing({ failure }), { policy: ONE_THEN_KILL })).next;
    expect(phase).toMatchObject({
      killed: false,
      tombstone: false,
      result: { failure: { code: 500, message: "boom", stacktrace: "at home" } },
    });
  });
});

test("a cut attempt changes no retry counter", () => {
  const retries = { policyAttempts: 2, sinceEntry: 2 };
  const sent = [taken("c1", completion(1))];
  expect(advance(running({ retries }), attemptEnded({ kind: "cut" })).next.retries).toEqual(retries);
  expect(advance(running({ retries }), attemptEnded({ kind: "cut" }, { sent })).next.retries).toEqual(retries);
});

test("a late end from a former driver changes nothing while the invocation backs off", () => {
  const backingOff = advance(running(), attemptEnded(failing())).next;
  const { next, step } = advance(backingOff, attemptEnded({ kind: "ended" }, { atMs: NOW_MS + 1 }));
  expect(next).toBe(backingOff);
  expect(step.kind).toBe("ignore");
});
