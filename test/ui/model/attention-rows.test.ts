/** Tests the rows of the overview: their order, their number, and the sentence of each. */
import { expect, test } from "vitest";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import type { AttentionBody, CauseBody, HeldBody } from "../../../shared/api/contract/overview.ts";
import { needRows } from "../../../ui/model/attention-rows.ts";

const NOW_MS = Date.UTC(2026, 10, 24, 13, 0, 0);
const SINCE = "2026-11-24T12:50:00Z";

function need(kind: AttentionBody["kind"], more: Partial<AttentionBody> = {}): AttentionBody {
  const target = { target: "Cart/42/pay", target_service_name: "Cart", target_handler_name: "pay" };
  return {
    id: `inv_${kind}`,
    ...target,
    status: "suspended",
    created_at: SINCE,
    since: SINCE,
    waits_for: [],
    kind,
    ...more,
  };
}

const DEPLOYMENT: DeploymentSummaryBody = {
  id: "dp_1",
  uri: "http://localhost:9080/",
  protocol_type: "BidiStream",
  http_version: "HTTP/2.0",
  created_at: SINCE,
  min_protocol_version: 5,
  max_protocol_version: 7,
  status: "draining",
  pinned_invocations: 2,
  health: { state: "unreachable", since: SINCE, reason: "RT0010: connection refused" },
  services: [{ name: "Cart", revision: 1 }],
  circuits: [
    {
      service: "Cart",
      open_since: SINCE,
      next_attempt_at: "2026-11-24T13:00:05Z",
      reason: "RT0001 connection refused",
    },
  ],
};

const HELD: HeldBody = {
  deployment_id: "dp_1",
  service: "Cart",
  open_since: SINCE,
  next_attempt_at: SINCE,
  reason: "RT0010: connection refused",
  waiting: 26,
};

function cause(kind: "paused" | "failing", more: Partial<CauseBody> = {}): CauseBody {
  const facts = { cause: "0123456789ab", text: "RT0007 no such customer …", since: SINCE };
  return { kind, service: "Billing", handler: "charge", ...facts, count: 12, looked_at: 12, among: 12, ...more };
}

test("open circuits come first, then groups by cause, and waiting invocations last", () => {
  const attention = (["waiting", "silent", "overdue", "failing", "paused"] as const).map((kind) => need(kind));
  const causes = [cause("paused"), cause("failing")];
  expect(needRows({ attention, causes, circuits: [] }, [DEPLOYMENT], NOW_MS).map(({ word }) => word)).toEqual([
    "unreachable",
    "paused",
    "failing",
    "silent",
    "overdue",
    "draining",
    "waiting",
  ]);
});

test("a group has its count, its cause, and the filter of its invocations", () => {
  const [row] = needRows({ attention: [], causes: [cause("paused")] }, [], NOW_MS);
  expect(row).toMatchObject({
    target: "Billing/charge",
    sentence: "RT0007 no such customer …",
    act: "resume-group",
    count: { number: 12, isAtLeast: false },
    href: "#/invocations?status=paused&service=Billing&handler=charge&cause=0123456789ab",
  });
  const [some] = needRows(
    { attention: [], causes: [cause("failing", { count: 20, looked_at: 20, among: 500 })] },
    [],
    NOW_MS,
  );
  expect(some!.count).toEqual({ number: 20, isAtLeast: true });
});

test("there are at most twelve rows, and draining deployments and waiting invocations keep a place", () => {
  const attention = [...Array.from({ length: 12 }, (_, at) => need("paused", { id: `inv_${at}` })), need("waiting")];
  const words = needRows({ attention }, [DEPLOYMENT], NOW_MS).map(({ word }) => word);
  expect(words).toHaveLength(12);
  expect(words.slice(-2)).toEqual(["draining", "waiting"]);
});

test.each<[AttentionBody, string]>([
  [need("paused", { pause: { reason: "order", at: SINCE, by: "ann" } }), "Paused by ann."],
  [
    need("paused", {
      attempts: 7,
      error: { code: "RT0007", message: "no\nat" },
      pause: { reason: "failure", at: SINCE },
    }),
    "Paused after attempt 7: RT0007 no",
  ],
  [
    need("failing", {
      attempts: 3,
      error: { code: "RT0007", message: "no" },
      waits_for: [{ kind: "retry", since: SINCE, until: "2026-11-24T13:00:42.100Z" }],
    }),
    "Attempt 3 failed, the next is in 42 s: RT0007 no",
  ],
  [need("overdue"), "Was due 10 m ago, and no driver has taken it."],
  [need("overdue", { status: "ready" }), "Waits for a driver, and none has taken it."],
  [need("waiting", { waits_for: [{ kind: "promise", since: SINCE, name: "p" }] }), "Waits for the promise p."],
])("the sentence of $kind", (one, sentence) => {
  expect(needRows({ attention: [one] }, [], NOW_MS)[0]?.sentence).toBe(sentence);
});

test("a circuit names its next probe, and a draining deployment the invocations that still need it", () => {
  expect(needRows({ attention: [], circuits: [HELD] }, [DEPLOYMENT], NOW_MS).map(({ sentence }) => sentence)).toEqual([
    "Unreachable for 10 m, 26 wait, next probe in 5 s: RT0001 connection refused",
    "Draining: 2 open invocations of Cart@1 still need it.",
  ]);
});

test("a paused invocation has a button to resume it in its row, and a failing one has a button to open its page", () => {
  const rows = needRows({ attention: [need("paused"), need("failing")] }, [], NOW_MS);
  expect(rows.map(({ act }) => act)).toEqual(["resume", "open"]);
});
