/** Accepts an invocation whose caller does not wait for the result, and drives it at once or leaves it to the queue. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { accept, type Acceptation } from "../accept/accept.ts";
import { NO_LEASE } from "../store/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import { acceptAndDrive, drivesAtOnce } from "./drive-at-once.ts";
import { isDelayed, startAgain, startSend } from "../accept/start-send.ts";
import { submit } from "./submit.ts";
import type { SubmitRejection, Sent, Submission } from "../ports/submission.ts";
import { sendWake } from "../messaging/wake.ts";

/**
 * The longest time for which the acceptance of a send waits to be written together with the first segment. The time is shorter
 * than for a call, because the sender waits until the acceptance is durable. A handler that ends within this time saves two
 * writes and a message.
 */
const JOINED_WITHIN_MS = 8;

/** Resolves when the invocation is durable. */
export async function send(engine: Engine, submission: Submission): Promise<Sent | SubmitRejection> {
  const submitted = await submit(engine, submission);
  if (submitted.kind !== "acceptance") return submitted;
  const { acceptance, route } = submitted;
  const { id, startAtMs } = acceptance;
  const isFresh = submission.idempotencyKey === undefined && !isDelayed(acceptance);
  if (isFresh && drivesAtOnce(engine, route) && (await acceptAndDrive(engine, acceptance, route, JOINED_WITHIN_MS)))
    return {
      kind: "sent",
      invocationId: id,
      status: "accepted",
      ...(startAtMs !== undefined && { executionTimeMs: startAtMs }),
    };
  const acceptation = await acceptAndStart(engine, acceptance);
  const isNew = acceptation.kind === "new";
  const executionTimeMs = isNew ? startAtMs : acceptation.loaded.invocation.acceptance.startAtMs;
  return {
    kind: "sent",
    invocationId: id,
    status: isNew ? "accepted" : "previously-accepted",
    ...(executionTimeMs !== undefined && { executionTimeMs }),
  };
}

/** Resolves when the invocation is durable and has a message, a timer or a place in the queue of its key. */
export async function acceptAndStart(
  engine: Engine,
  acceptance: Acceptance,
  isThis?: Parameters<typeof accept>[3],
): Promise<Acceptation> {
  // The message may go out together with the put, because a worker that finds no acceptance yet sends the message again.
  // For an exclusive handler it goes out later, after the invocation has the lock or a ticket (I6).
  const atOnce = !isDelayed(acceptance) && acceptance.handlerType !== "exclusive";
  const [acceptation] = await Promise.all([
    accept(engine, acceptance, NO_LEASE, isThis),
    atOnce ? sendWake(engine, acceptance, 0) : undefined,
  ]);
  // If the put replaced a former life, a worker may have found that life before the put and acked the first message.
  if (acceptation.kind === "new") {
    if (!atOnce || acceptation.instead === true) await startSend(engine, acceptance);
  } else if (!atOnce) {
    await startAgain(engine, acceptation.loaded);
  }
  return acceptation;
}
