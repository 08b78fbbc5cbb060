/** The remedies that the command prints for refusals of the admin API without a code. */
import { expect, test } from "vitest";
import { fixOf } from "../../../functions/cli/http/admin-client.ts";

const path = (text: string) => {
  const [method = "", rest = ""] = text.split(" ");
  return { method, path: rest };
};

test.each([
  ["404", "GET invocations/inv_1", "gone", "`stepwell invocations list` shows the existing invocations."],
  ["404", "GET kafka-clusters/a%2Fb", "gone", "`stepwell kafka-clusters list` shows the existing kafka-clusters."],
  ["404", "POST internal/invocations_batch_operations/kill", "gone", undefined],
  [
    "409",
    "PATCH invocations/inv_1/resume?deployment=latest",
    "busy",
    "`stepwell invocations describe inv_1` shows the status.",
  ],
  ["425", "PATCH invocations/inv_1/resume", "early", "`stepwell invocations describe inv_1` shows for what it waits."],
  ["409", "DELETE deployments/dp_1", "use force=true", "On this command line, force=true is --force."],
  ["409", "POST services/Cart/state", "outdated", "Run the command again: it shows the present state first."],
  ["409", "POST kafka-clusters", "exists already", "`stepwell kafka-clusters list` shows the existing kafka-clusters."],
  ["409", "DELETE kafka-clusters/a%2Fb", "configured", "`stepwell kafka-clusters describe a/b` shows the status."],
  ["500", "GET services", "broken", undefined],
])("a refusal with %s of %s (%s) has its own fix", (status, asked, message, fix) => {
  expect(fixOf(Number(status), path(asked), message)).toBe(fix);
});
