/** The output of `stepwell sql` as a table, as JSON and as CSV, and how the command reads rows. */
import { service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { csvText, readRows } from "../../../functions/cli/text/sql-rows.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const greeter = service({
  name: "Greeter",
  handlers: { greet: async (_ctx: Context, name: string): Promise<string> => `Hello ${name}` },
});

describe("the command", () => {
  let command: BuiltCommand;
  let stage: LocalStage;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [greeter] })]);
    env = { STEPWELL_ADMIN_URL: stage.adminUri };
    for (const key of ["one", "two"]) {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      await fetch(`${stage.ingressUri}/Greeter/greet`, { method: "POST", headers, body: '"Ada, \\"A\\""' });
    }
  });

  afterAll(async () => {
    await command.remove();
    await stage.close();
  });

  const ROWS =
    "select idempotency_key, target, retry_count, completion_failure from sys_invocation order by idempotency_key";

  it("prints rows as a table, as JSON and as CSV", async () => {
    const script = scribe(command, env);
    expect(await script.run(`sql '${ROWS}'`)).toBe(0);
    expect(await script.run(`sql '${ROWS}' --json`)).toBe(0);
    expect(await script.run(`sql '${ROWS}' --csv`)).toBe(0);
    expect(await script.run(`sql '${ROWS}' --csv`.replace("order by", "where id is null order by"))).toBe(0);
    expect(await script.run("sql -", { stdin: "select count(*) as invocations\nfrom sys_invocation\n" })).toBe(0);
    expect(await script.run("sql 'select id from sys_invocation where retry_count > 99'")).toBe(0);
    await expect(script.text).toMatchFileSnapshot("transcripts/sql.txt");
  });

  it("prints every digit of a large integer", async () => {
    const run = async (flag: string): Promise<string> =>
      (await command.run(["sql", "select partition_key from sys_journal limit 1", flag], { env })).stdout;
    const [, digits] = (await run("--csv")).split("\n");
    expect(digits).toMatch(/^\d{16,}$/);
    expect(await run("--json")).toContain(digits);
  });

  it("shows how to repair a statement that is refused", async () => {
    const script = scribe(command, env);
    expect(await script.run("sql 'select nothing from sys_invocation'")).toBe(1);
    expect(await script.run("sql 'select 1 from nowhere'")).toBe(1);
    expect(await script.run("sql 'delete from sys_invocation' --json")).toBe(1);
    expect(await script.run("sql 'select id from sys_invocation' --csv --json")).toBe(2);
    await expect(script.text).toMatchFileSnapshot("transcripts/sql-refused.txt");
  });
});

describe("rows", () => {
  it("keep the order of the columns, also where the first row has no value for one", () => {
    const { columns, rows } = readRows('{"rows":[{"a":1,"c":3},{"a":1,"b":2,"c":3},{"d":4}]}');
    expect(columns).toEqual(["d", "a", "b", "c"]);
    expect(rows[0]).toEqual([undefined, 1, undefined, 3]);
  });

  it("have the columns that the server names, in their order", () => {
    const { columns, rows } = readRows('{"columns":["c","a","b"],"rows":[{"a":1},{"b":2}]}');
    expect(columns).toEqual(["c", "a", "b"]);
    expect(rows).toEqual([
      [undefined, 1, undefined],
      [undefined, undefined, 2],
    ]);
    expect(csvText(readRows('{"columns":["c","a"],"rows":[]}'))).toBe("c,a");
  });

  it("a row without a cell has none under a name that objects inherit", () => {
    const { rows } = readRows('{"columns":["__proto__","toString"],"rows":[{},{"__proto__":1,"toString":"x"}]}');
    expect(rows).toEqual([
      [undefined, undefined],
      [1, "x"],
    ]);
  });

  it("keep the digits of integers, and texts with digits", () => {
    const { rows } = readRows('{"rows":[{"a":18446744073709551615,"b":"say \\"12345678901234567890\\"","c":1.5e300}]}');
    expect(rows).toEqual([[18446744073709551615n, 'say "12345678901234567890"', 1.5e300]]);
  });

  it("are CSV with quotes where a field needs them", () => {
    const text = csvText({
      columns: ["a", "b,c"],
      rows: [
        ['say "x"', undefined],
        ["", "two\nlines"],
        [1n, true],
      ],
    });
    expect(text).toBe('a,"b,c"\n"say ""x""",\n"","two\nlines"\n1,true');
  });
});
