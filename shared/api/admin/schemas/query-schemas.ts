/** The parameters of the invocation list, for the OpenAPI document. */
import * as z from "zod";
import { LIST_FILTERS, LIST_ORDERS } from "../../wire/list-filters.ts";

const words = z.string().optional();

export const ListInvocationsQuery = z.object({
  ...Object.fromEntries(
    LIST_FILTERS.flatMap(({ parameter, description = "" }) =>
      parameter === undefined ? [] : [[parameter, words.describe(description)]],
    ),
  ),
  order: z
    .enum(LIST_ORDERS)
    .optional()
    .describe("`oldest` for the oldest first, only with open statuses; `newest` unless given."),
  details: words.describe(
    "`false` leaves out the details that the indexes do not show; they cost a read for each row.",
  ),
  waits: words.describe("`true` adds what each open invocation waits for, which costs a load for each open row."),
  limit: words.describe("The most invocations of the page, from 1 to 500; 100 unless given."),
  after: words.describe("The `next` of another page."),
});
