/** Each file that calls `JSON.parse` is listed with the source of its text; text from outside is counted first (`shared/core/model/json-elements.ts`). */
import { expect, test } from "vitest";
import { readSourceTree, ROOT } from "./source-tree.ts";

/** The files that parse JSON by themselves, and whose text it is. Commands and registrars parse answers of their own control plane. */
const PARSING: Readonly<Record<string, string>> = {
  "shared/core/model/json-elements.ts": "from outside, counted",
  "shared/api/admin/requests/json-body.ts": "from outside, counted before",
  "shared/api/admin/server/audit.ts": "an answer of this server",
  "shared/api/admin/openapi-document.ts": "a schema of this program",
  "shared/api/wire/pretty-json.ts": "shown by commands and pages",
  "shared/config/toml-settings.ts": "a file of the operator",
  "shared/wiring/built-in-ui.ts": "a part of this program",
  "shared/wiring/process-log.ts": "a line of this program",
  "shared/engine/register/registry-items.ts": "stored",
  "shared/engine/register/kafka-items.ts": "stored",
  "shared/engine/store/lease-record.ts": "stored",
  "shared/engine/store/schedule-record.ts": "stored",
  "shared/api/admin/schedules/schedule-body.ts": "stored, and small",
  "shared/engine/ports/wake-body.ts": "a message of this server",
  "shared/engine/ports/schedule-wake-body.ts": "a message of this server",
  "shared/adapters/sqs/sqs-slices.ts": "a message of this server",
  "shared/adapters/dynamodb/query-inputs.ts": "a token of this server",
  "shared/adapters/embedded/store-version.ts": "stored",
  "shared/adapters/embedded/table-pages.ts": "stored, or a token of this server",
  "shared/adapters/sql/functions.ts": "a value of a row, in the process of the statement",
};
const OF_CLIENTS = /^functions\/(?:cli|registrar)\//;

test("only the named files parse JSON", () => {
  const parsing = [...readSourceTree(ROOT)]
    .filter(([path, text]) => /^(?:shared|functions)\/.+\.ts$/.test(path) && text.includes("JSON.parse("))
    .map(([path]) => path)
    .filter((path) => !OF_CLIENTS.test(path));
  expect(parsing.toSorted()).toEqual(Object.keys(PARSING).toSorted());
});
