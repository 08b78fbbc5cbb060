/** The schemas of operations on invocations for the OpenAPI document; the request schemas also check the requests. */
import * as z from "zod";
import { IdError, parseInvocationId } from "../../../core/model/ids.ts";
import { readDeploymentChoice } from "./deployment-choice.ts";

/** Larger batches are refused, so that one request cannot occupy the server for minutes. */
export const BATCH_MAX = 1000;

const deployment = z
  .string()
  .transform((text, context) => {
    const choice = readDeploymentChoice(text);
    if (choice !== undefined) return choice;
    context.addIssue({ code: "custom", message: `'${text}' is none of keep, latest and the id of a deployment` });
    return z.NEVER;
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

const invocationId = z.string().transform((text, context) => {
  try {
    return parseInvocationId(text);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    context.addIssue({ code: "custom", message: `'${text}' is no id of an invocation: ${error.message}` });
    return z.NEVER;
  }
});

export const InvocationBatch = z
  .object({
    invocation_ids: z.array(invocationId).describe(`At most ${BATCH_MAX} ids.`),
    deployment: deployment.nullish().transform((choice) => choice ?? undefined),
  })
  .meta({ id: "InvocationBatch" });

export const Restarted = z.object({ new_invocation_id: z.string() }).meta({ id: "RestartedInvocation" });

export const Batch = z
  .object({
    succeeded: z.array(
      z.union([z.string(), z.object({ old_invocation_id: z.string(), new_invocation_id: z.string() })]),
    ),
    failed: z.array(z.object({ invocation_id: z.string(), error: z.string() })),
    noted: z
      .array(z.string())
      .exactOptional()
      .describe("The ids among `succeeded` whose change the server has recorded and applies later."),
  })
  .meta({ id: "InvocationBatchOutcome" });
