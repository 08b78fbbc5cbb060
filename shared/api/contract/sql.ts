/** The request and the answers of `POST /query`. */
import * as z from "zod";
import { type Answer, text } from "./members.ts";

export const StatementBody = z
  .object({
    query: text.describe("One SELECT over the tables that `information_schema.columns` names."),
    columns: z.boolean().exactOptional().describe("The answer in JSON names the columns of the statement too."),
  })
  .meta({ id: "Statement" });

/** The answer if `accept` is exactly `application/json`; else the answer is an Arrow stream. */
export const StatementRows = z
  .object({
    columns: z.array(text).exactOptional().describe("The columns of the statement in their order, if asked for."),
    rows: z.array(z.record(text, z.unknown())).describe("Columns without a value are left out."),
  })
  .meta({ id: "StatementRows" });

/** The refusal of a statement. */
const StatementError = z.object({ message: text });
export type QueryErrorBody = Answer<typeof StatementError>;
