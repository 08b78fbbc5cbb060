/** Tests `stepwell explain`: the command explains each code of the error table, as text for people and as JSON for programs. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { explanationOf } from "../../../shared/api/wire/remedies.ts";
import { ERROR_CODES, ERRORS } from "../../../shared/core/errors/error-table.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";

let command: BuiltCommand;
beforeAll(async () => (command = await buildCommand()));
afterAll(() => command.remove());

test("the text has title, condition, outcome and remedy, and needs no server", async () => {
  const { title, arises, remedy } = ERRORS.RT0016;
  const then = "The attempt has failed, and the retry policy of the handler decides about the next one.";
  const text = `RT0016: ${title}\n  when   ${arises}\n  then   ${then}\n  fix    ${remedy}\n`;
  for (const code of ["RT0016", "rt0016"]) {
    expect(await command.run(["explain", code])).toEqual({ code: 0, stdout: text, stderr: "" });
  }
});

test("the JSON has the same fields", async () => {
  const ran = await command.run(["explain", "META0005", "--json"]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const { title, arises, remedy } = ERRORS.META0005;
  const outcome = "The request is refused with 400. At start, the process ends.";
  expect(JSON.parse(ran.stdout)).toEqual({ code: "META0005", title, arises, outcome, remedy });
});

test("every code of the table has an explanation in whole sentences", () => {
  for (const code of ERROR_CODES) {
    const explanation = explanationOf(code)!;
    for (const sentences of [explanation.arises, explanation.outcome, explanation.remedy]) {
      expect(sentences).toMatch(/^[A-Z].+\.$/s);
    }
  }
});

test("an unknown code is a usage error that lists the codes", async () => {
  const ran = await command.run(["explain", "RT9999"]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("This version has no such code. The codes are META0003, ");
  const asJson = await command.run(["explain", "RT9999", "--json"]);
  expect(asJson).toMatchObject({ code: 2, stdout: "" });
  expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: null, exit_code: 2 } });
});
