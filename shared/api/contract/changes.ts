/** The requests and answers of operations on invocations. */
import * as z from "zod";
import { IdError, parseDeploymentId, parseInvocationId } from "../../core/model/ids.ts";
import { type Answer, text } from "./members.ts";

/** Larger batches are refused, so that one request cannot occupy the server for minutes. */
export const BATCH_MAX = 1000;

const deployment = text
  .transform((given, context) => {
    if (given === "keep" || given === "Keep") return { kind: "keep" as const };
    if (given === "latest" || given === "Latest") return { kind: "latest" as const };
    try {
      return { kind: "id" as const, deploymentId: parseDeploymentId(given) };
    } catch (error) {
      if (!(error instanceof IdError)) throw error;
      context.addIssue({ code: "custom", message: `'${given}' is none of keep, latest and the id of a deployment` });
      return z.NEVER;
    }
  })
  .describe("On which deployment it goes on: `keep`, `latest`, or the id of one.");

export const ResumeQuery = z.object({ deployment: deployment.optional() });

export const RestartQuery = z.object({
  deployment: deployment.optional(),
  from: z
    .string()
    .regex(/^\d{1,9}$/, "expected the index of an entry")
    .transform(Number)
    .optional()
    .describe("The index of the last entry of the journal that is kept; 0, the input alone, unless given."),
});

export const TerminateQuery = z.object({
  mode: z
    .enum(["cancel", "kill", "purge", "Cancel", "Kill", "Purge"])
    .optional()
    .transform((mode) => (mode ?? "cancel").toLowerCase() as "cancel" | "kill" | "purge"),
});

const invocationId = text.transform((given, context) => {
  try {
    return parseInvocationId(given);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    context.addIssue({ code: "custom", message: `'${given}' is no id of an invocation: ${error.message}` });
    return z.NEVER;
  }
});

export const InvocationBatch = z
  .object({
    invocation_ids: z.array(invocationId).describe(`At most ${BATCH_MAX} ids.`),
    deployment: deployment.nullish().transform((choice) => choice ?? undefined),
  })
  .meta({ id: "InvocationBatch" });

export const RestartedBody = z.object({ new_invocation_id: text }).meta({ id: "RestartedInvocation" });
export type RestartedBody = Answer<typeof RestartedBody>;

/** The id of the invocation; for a restart, its old id and its new one. */
const success = z.union([text, z.object({ old_invocation_id: text, new_invocation_id: text })]);
export type BatchSuccessBody = Answer<typeof success>;

export const BatchBody = z
  .object({
    succeeded: z.array(success),
    failed: z.array(z.object({ invocation_id: text, error: text })),
    noted: z
      .array(text)
      .exactOptional()
      .describe("The ids among `succeeded` whose change the server has recorded and applies later."),
  })
  .meta({ id: "InvocationBatchOutcome" });
export type BatchBody = Answer<typeof BatchBody>;
