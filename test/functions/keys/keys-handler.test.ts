/** The custom resource that makes keys: the metric that it writes for a new environment. */
import { expect, test } from "vitest";
import { keysResource } from "../../../functions/keys/keys-handler.ts";
import type { ParameterStore } from "../../../shared/wiring/parameter-keys.ts";
import { measureNothingOverdue } from "../../../shared/wiring/first-measure.ts";

function storeInMemory(): ParameterStore {
  const values = new Map<string, string>();
  return {
    read: async (name) => values.get(name),
    make: async ({ name, value }) => {
      if (values.has(name)) return false;
      values.set(name, value);
      return true;
    },
    remove: async (name) => void values.delete(name),
  };
}

async function toldBy(RequestType: "Create" | "Update" | "Delete", properties: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const act = keysResource(storeInMemory(), (environment) =>
    measureNothingOverdue(environment, (line) => lines.push(line)),
  );
  const ResourceProperties = { Path: "/stepwell/shop", SigningKey: "1", ...properties };
  await act({ RequestType, ResourceProperties, ResponseURL: "", StackId: "", RequestId: "", LogicalResourceId: "" });
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

test("a metric says that nothing is overdue in a new environment, so no alarm precedes the sweeper's first pass", async () => {
  const [line, ...more] = await toldBy("Create", { MeasuredAs: "shop" });
  expect(more).toEqual([]);
  expect(line).toMatchObject({ Environment: "shop", oldest_overdue_seconds: [0] });
  expect(line!["_aws"]).toMatchObject({
    CloudWatchMetrics: [
      {
        Namespace: "Stepwell",
        Dimensions: [["Environment"]],
        Metrics: [{ Name: "oldest_overdue_seconds", Unit: "Seconds" }],
      },
    ],
  });
});

test("an existing environment, or one without metrics, gets no measure", async () => {
  expect(await toldBy("Update", { MeasuredAs: "shop" })).toEqual([]);
  expect(await toldBy("Delete", { MeasuredAs: "shop" })).toEqual([]);
  expect(await toldBy("Create", {})).toEqual([]);
});
