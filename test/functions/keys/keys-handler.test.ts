/** The custom resource that makes keys and claims the table: the metric for a new environment, and what the table has afterwards. */
import { expect, test } from "vitest";
import { keysResource } from "../../../functions/keys/keys-handler.ts";
import { StoreError, type Table } from "../../../shared/engine/ports/table.ts";
import type { ParameterStore } from "../../../shared/wiring/parameter-keys.ts";
import { measureNothingOverdue } from "../../../shared/wiring/first-measure.ts";
import { tableWithinRights } from "../../harness/engine/table-within-rights.ts";
import { MemoryTable } from "../../simulation/memory-table.ts";

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

async function toldBy(
  RequestType: "Create" | "Update" | "Delete",
  properties: Readonly<Record<string, string>>,
  { table = new MemoryTable() as Table, store = storeInMemory() } = {},
) {
  const lines: string[] = [];
  const tableNamed = (name: string): Table => (name === "shop-table" ? table : expect.unreachable(name));
  const act = keysResource(store, tableNamed, (environment) =>
    measureNothingOverdue(environment, (line) => lines.push(line)),
  );
  const ResourceProperties = { Path: "/stepwell/shop", SigningKey: "1", Table: "shop-table", ...properties };
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

test("the environment claims its table with the rights of the function alone, and again without a change", async () => {
  const stored = new MemoryTable();
  const table = tableWithinRights(stored, "keys", new Set());
  const store = storeInMemory();
  await toldBy("Create", {}, { table, store });
  const claimed = stored.all();
  expect(claimed.map(({ pk, sk }) => `${pk} ${sk}`).toSorted()).toEqual(["schema format", "secret hmac"]);
  expect(claimed.find(({ pk }) => pk === "secret")).toMatchObject({ digest: expect.any(String) });
  await toldBy("Update", {}, { table, store });
  expect(stored.all()).toEqual(claimed);
});

test("a table of another environment fails the deployment, and stays as it is", async () => {
  const stored = new MemoryTable();
  await toldBy("Create", {}, { table: stored });
  const before = stored.all();
  await expect(toldBy("Update", {}, { table: stored })).rejects.toMatchObject({ code: "RT0002" });
  expect(stored.all()).toEqual(before);
});

test("a right that takes effect late is waited for", async () => {
  const stored = new MemoryTable();
  let left = 1;
  const late: Table = tableWithinRights(stored, "keys", new Set());
  const get: Table["get"] = (key) =>
    left-- > 0 ? Promise.reject(new StoreError("AccessDeniedException", { lasts: true })) : late.get(key);
  await toldBy("Create", {}, { table: { ...late, get } });
  expect(stored.all()).toHaveLength(2);
});
