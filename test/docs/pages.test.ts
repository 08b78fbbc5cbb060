/** The pages that are written from tables are current; `npm run docs` writes them. */
import { describe, expect, it } from "vitest";
import { documentationOf, ERROR_CODES } from "../../shared/core/errors/error-table.ts";
import { LOG_EVENT_NAMES } from "../../shared/engine/ports/log-events.ts";
import { TABLE_SHAPES } from "../../shared/core/query/table-shapes.ts";
import { SETTING_PATHS } from "../../shared/config/settings-table.ts";
import { cliPage } from "./cli-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";
import { logEventsPage } from "./log-events-page.ts";
import { ALWAYS_NULL, SENTENCES } from "./sql-columns.ts";
import { sqlPage } from "./sql-page.ts";

describe("docs/errors.md", () => {
  it("is the page of the error table", async () => {
    await expect(errorsPage()).toMatchFileSnapshot("../../docs/errors.md");
  });

  it("has a heading for every error code, with the anchor that `documentationOf` gives", () => {
    const headings = [...errorsPage().matchAll(/^### (\w+)$/gm)].map(
      ([, code]) => `docs/errors.md#${code!.toLowerCase()}`,
    );
    expect(headings.sort()).toEqual(ERROR_CODES.map(documentationOf).sort());
  });
});

describe("docs/configuration.md", () => {
  it("is the page of the table of settings", async () => {
    await expect(configurationPage()).toMatchFileSnapshot("../../docs/configuration.md");
  });

  it("has every setting exactly once", () => {
    const rows = configurationPage().matchAll(/^\| `([^`]+)` \| (?:duration|size|number|choice|text|flag) \|/gm);
    const keys = [...rows].map(([, key]) => key!);
    expect(keys.sort()).toEqual([...SETTING_PATHS].sort());
  });
});

describe("docs/cli.md", () => {
  it("is the page of the command tree", async () => {
    await expect(cliPage()).toMatchFileSnapshot("../../docs/cli.md");
  });
});

describe("docs/log-events.md", () => {
  it("is the page of the table of log events", async () => {
    await expect(logEventsPage()).toMatchFileSnapshot("../../docs/log-events.md");
  });

  it("has every event exactly once", () => {
    const names = [...logEventsPage().matchAll(/^\| `([a-z-]+\.[a-z-]+)` \|/gm)].map(([, name]) => name!);
    expect(names.sort()).toEqual([...LOG_EVENT_NAMES].sort());
  });
});

describe("docs/sql.md", () => {
  it("is the page of the tables that statements read", async () => {
    await expect(sqlPage()).toMatchFileSnapshot("../../docs/sql.md");
  });

  it("has no sentence about a column that does not exist", () => {
    const known = new Set(
      TABLE_SHAPES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
    );
    const told = [...Object.entries(SENTENCES), ...Object.entries(ALWAYS_NULL)].flatMap(([table, sentences]) =>
      table.startsWith("sys_invocation") ? [] : Object.keys(sentences).map((column) => `${table}.${column}`),
    );
    expect(told.filter((column) => !known.has(column))).toEqual([]);
  });
});
