/** The ends of the parts of a program: completions for others that wait, failures, combinations and timeouts. */
import * as restate from "@restatedev/restate-sdk";
import type { Context, InvocationId, WorkflowContext } from "@restatedev/restate-sdk";
import type { Branch, Part, Refusal } from "./program.ts";

type Promised = restate.RestatePromise<unknown>;

export function completion({ gives, rejects }: Extract<Branch, { do: "awakeable" | "signal" }>) {
  return { gives, ...(rejects !== undefined && { rejects }) };
}

export async function complete(ctx: Context, completes: NonNullable<Part["completes"]>): Promise<void> {
  if (completes.what === "promise") {
    const promise = (ctx as WorkflowContext).promise<string>(completes.name);
    if (completes.rejects) await promise.reject(completes.value);
    else await promise.resolve(completes.value);
    return;
  }
  const { gives, rejects } = completes;
  const refusal = rejects === undefined ? undefined : refusalOf(rejects);
  if (completes.what === "awakeable") {
    if (refusal === undefined) ctx.resolveAwakeable(completes.id, gives);
    else ctx.rejectAwakeable(completes.id, refusal);
    return;
  }
  const signal = ctx.invocation(completes.invocation as InvocationId).signal(completes.name);
  if (refusal === undefined) signal.resolve(gives);
  else signal.reject(refusal);
}

export function refusalOf({ code, message }: Refusal): restate.TerminalError {
  return new restate.TerminalError(message, { errorCode: code });
}

export async function combine(how: "all" | "race" | "any" | "allSettled", of: Promised[]): Promise<unknown> {
  const { RestatePromise } = restate;
  if (how === "all") return (await RestatePromise.all(of)).map((one) => one ?? null);
  if (how === "race") return await RestatePromise.race(of);
  if (how === "any") return await RestatePromise.any(of).catch(allFailures);
  return (await RestatePromise.allSettled(of)).map((one) =>
    one.status === "fulfilled" ? { value: one.value ?? null } : { failed: (one.reason as Error).message },
  );
}

/** @returns the messages of the failures, if all have failed */
function allFailures(error: unknown): unknown {
  if (!(error instanceof AggregateError)) throw error;
  return (error.errors as Error[]).map(({ message }) => message);
}

export async function timed(promise: Promised): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof restate.TimeoutError) return "timed out";
    throw error;
  }
}
