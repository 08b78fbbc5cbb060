/** The answers about the server itself, and the refusal of every route. */
import * as z from "zod";
import { type Answer, maybeText, text, whole } from "./members.ts";

export const AdminErrorBody = z
  .object({ message: text, restate_code: text.nullable().describe("A code of docs/errors.md, where there is one.") })
  .meta({ id: "Error" });
export type AdminErrorBody = Answer<typeof AdminErrorBody>;

export const VersionBody = z
  .object({
    version: text.describe("The level of the API as a semantic version, then `+` and the program with its version."),
    product: text,
    product_version: text,
    min_admin_api_version: whole,
    max_admin_api_version: whole,
    ingress_endpoint: maybeText,
    /** `functions`: each read of the table has a price, so clients ask less often. */
    runs_on: z.enum(["one-process", "functions"]),
    features: z.record(text, z.boolean()),
  })
  .meta({ id: "Version" });
export type VersionBody = Answer<typeof VersionBody>;

export const ReadyBody = z
  .object({
    ready: z.boolean(),
    checks: z.array(z.object({ name: text, ok: z.boolean(), reason: maybeText })),
  })
  .meta({ id: "Ready" });
export type ReadyBody = Answer<typeof ReadyBody>;

export const ClusterHealth = z
  .object({ cluster_name: text, metadata_cluster_health: z.object({ members: z.array(whole) }) })
  .meta({ id: "ClusterHealth" });
