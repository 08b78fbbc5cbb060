/** The text of a journal mismatch: the deployment that recorded the journal, and names that handlers chose. */
import picocolors from "picocolors";
import { expect, test } from "vitest";
import { mismatchText } from "../../../functions/cli/text/invocation-text.ts";
import type { MismatchBody } from "../../../shared/api/contract/invocations.ts";

const ACTS = "\u001b[2J\u009b31m\u0007\r\n\u0000";
const LINE_MAX = 250;

const body: MismatchBody = {
  entry: 1,
  rows: [
    { entry: 0, recorded: "Input", offered: "Input" },
    { entry: 1, recorded: "Run 'charge'", offered: "Run 'refund'" },
    { entry: 3, recorded: "Sleep" },
  ],
  journal: { deployment_id: "dp_1", revision: 1, address: "http://one/", at: "2030-01-01T00:00:00Z" },
  code: { deployment_id: "dp_2", revision: 2, address: "http://two/" },
  ways_out: [{ action: "kill", text: "End the invocation.", commands: ["stepwell invocations kill inv_1"] }],
};
const linesOf = (more: Partial<MismatchBody>): readonly string[] =>
  mismatchText(picocolors.createColors(false), { ...body, ...more }).split("\n");

test("both sides have their deployment and revision, and a row for each entry", () => {
  expect(linesOf({}).slice(0, 8)).toEqual([
    "The code and the journal differ at entry 1:",
    "     ENTRY  JOURNAL       CODE NOW",
    "     0      Input         Input",
    "  >  1      Run 'charge'  Run 'refund'",
    "     3      Sleep         not reached",
    "",
    "  Recorded  by dp_1, now revision 1, at http://one/, at 2030-01-01 00:00:00 UTC",
    "  Code now  dp_2, revision 2, at http://two/",
  ]);
});

test("the text distinguishes an unknown recorder from an entry that no deployment recorded", () => {
  const { journal: _, ...unrecorded } = body;
  const colours = picocolors.createColors(false);
  expect(mismatchText(colours, unrecorded)).toContain("Recorded  by an unknown deployment");
  const rows = [{ entry: 1, offered: "Sleep" }];
  expect(mismatchText(colours, { ...unrecorded, rows })).toContain("Recorded  nothing: the journal ends before");
});

test("control characters of names, addresses and ways out do not act on a terminal, and add no lines", () => {
  const acting = {
    rows: [{ entry: 1, recorded: `Run '${ACTS}'`, offered: `Run 'x${ACTS}'` }],
    journal: { ...body.journal!, deployment_id: `dp_${ACTS}`, address: `http://${ACTS}/` },
    code: { deployment_id: `dp_2${ACTS}` },
    ways_out: [{ ...body.ways_out[0]!, text: ACTS, commands: [`stepwell ${ACTS}`] }],
  };
  const lines = linesOf(acting);
  expect(lines.join("")).not.toMatch(/\p{Cc}/u);
  expect(lines).toHaveLength(linesOf({ rows: body.rows.slice(1, 2) }).length);
});

test("long names are cut, so that each row stays on one line of a terminal", () => {
  const name = "n".repeat(5_000);
  const lines = linesOf({ rows: [{ entry: 1, recorded: `Run '${name}'`, offered: `Run 'x${name}'` }] });
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(LINE_MAX);
});
