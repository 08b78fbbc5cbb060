/** How a test fails on complaints: with their text, because an assertion about a list shows only its length. */
import { expect } from "vitest";

export function expectNone(complaints: readonly string[]): void {
  if (complaints.length > 0) expect.fail(complaints.join("\n"));
}
