/** The answer of a completed invocation. */
import { expiresAtMs, type Invocation } from "../../core/invocation/invocation.ts";
import type { Ended } from "../ports/submission.ts";

/** @param askedAtMs present if the invocation had completed before the request; the answer then contains the expiry */
export function endedOf(invocation: Invocation, askedAtMs: number | undefined): Ended {
  const { acceptance, phase } = invocation;
  if (phase.status !== "completed") throw new Error(`Invocation ${acceptance.id} is ${phase.status}, not completed`);
  const expires = askedAtMs === undefined ? undefined : expiresAtMs(invocation);
  return {
    kind: "ended",
    invocationId: acceptance.id,
    target: acceptance.target,
    result: phase.result,
    ...(expires !== undefined && { expiresAtMs: expires }),
  };
}
