/** The table of handler shapes, run with the real SDK: result and number of attempts on each version over each carrier. */
import { expect, test } from "vitest";
import { attemptsOf, executionsOf } from "./attempts.ts";
import { inEachCombination, type Combination } from "./combinations.ts";
import type { ProtocolVersion } from "./offered-version.ts";
import { SHAPE_ROWS, type Count, type ShapeRow } from "./shape-rows.ts";

inEachCombination((combination) => {
  for (const row of SHAPE_ROWS) {
    const input = "input" in row ? JSON.stringify(row.input) : "nothing";
    test(`row ${row.number}: ${row.handler} of ${input}`, async () => {
      await verify(combination, row);
      // Where exchanges stay open, each row runs twice. In the first run, the server does not know the handler, so the exchange
      // of the first attempt stays open. In the second run, that exchange does not stay open if the handler
      // awaited nothing in the first run.
      if (combination.staysOpen) await verify(combination, row);
    });
  }
});

async function verify({ post, version, staysOpen }: Combination, row: ShapeRow): Promise<void> {
  const { handler, input, headers, status = 200, result, attempts, executions } = row;
  const body = input instanceof Uint8Array ? new Uint8Array(input) : "input" in row ? JSON.stringify(input) : undefined;
  const answer = await post(`/${handler}`, body, headers);
  const output = new TextDecoder().decode(answer.body);
  expect({ status: answer.status, output }).toMatchObject({ status });
  expect(answer.body).toEqual(bytesOf(result));
  expect(answer.headers.get("content-type")).toBe(contentTypeOf(result));

  const [leastClosed, most] = attemptsWanted(attempts, version);
  const least = staysOpen ? 1 : leastClosed;
  const entered = attemptsOf(answer.invocationId);
  expect(entered, "attempts").toBeGreaterThanOrEqual(least);
  expect(entered, "attempts").toBeLessThanOrEqual(most);
  if (executions !== undefined) expect(executionsOf(answer.invocationId), "closures").toBe(executions);
}

function attemptsWanted(attempts: ShapeRow["attempts"], version: ProtocolVersion): readonly [number, number] {
  const count: Count = typeof attempts === "object" && "v7" in attempts ? attempts[`v${version}`] : attempts;
  return typeof count === "number" ? [count, count] : count;
}

function bytesOf(result: unknown): Uint8Array {
  if (result instanceof Uint8Array) return result;
  return new TextEncoder().encode(result === undefined ? "" : JSON.stringify(result));
}

function contentTypeOf(result: unknown): string | null {
  if (result === undefined) return null;
  return result instanceof Uint8Array ? "application/octet-stream" : "application/json";
}
