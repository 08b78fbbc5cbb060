/** The pages that are written from tables are current; `npm run docs` writes them. */
import { describe, expect, it } from "vitest";
import { documentationOf, ERROR_CODES } from "../../shared/core/errors/error-table.ts";
import { SETTING_PATHS } from "../../shared/config/settings-table.ts";
import { cliPage } from "./cli-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";

describe("docs/errors.md", () => {
  it("is the page of the error table", async () => {
    await expect(errorsPage()).toMatchFileSnapshot("../../docs/errors.md");
  });

  it("has every code at the place to which the code points", () => {
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
