/** The pages that are written from tables are the ones that are committed; `npm run docs` writes them. */
import { describe, expect, it } from "vitest";
import { documentationOf, ERROR_CODES } from "../../shared/core/errors/error-table.ts";
import { errorsPage } from "./errors-page.ts";

describe("docs/errors.md", () => {
  it("is what the error table says", async () => {
    await expect(errorsPage()).toMatchFileSnapshot("../../docs/errors.md");
  });

  it("has every code at the place to which the code points", () => {
    const headings = [...errorsPage().matchAll(/^### (\w+)$/gm)].map(
      ([, code]) => `docs/errors.md#${code!.toLowerCase()}`,
    );
    expect(headings.sort()).toEqual(ERROR_CODES.map(documentationOf).sort());
  });
});
