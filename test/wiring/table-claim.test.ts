/** The first items of a table: its format, and the secret that it is written under. */
import { expect, test } from "vitest";
import { TABLE_FORMAT } from "../../shared/config/table-facts.ts";
import { environmentSecret, freshSecretBytes, recognisedSecret } from "../../shared/wiring/environment-secret.ts";
import { claimTable } from "../../shared/wiring/table-format.ts";
import { MemoryTable } from "../simulation/memory-table.ts";

const SCHEMA = { pk: "schema", sk: "format" };

test("an empty table is claimed once, even by many at the same time, and recognised from then on", async () => {
  const table = new MemoryTable();
  const start = async () => {
    await claimTable(table, "");
    return await environmentSecret(table, "", freshSecretBytes);
  };
  const secrets = await Promise.all([start(), start(), start()]);
  expect(table.shown(SCHEMA)).toEqual({ ...SCHEMA, format: TABLE_FORMAT });
  for (const secret of [...secrets, await start()]) expect(secret).toEqual(secrets[0]);
});

test.each([0, TABLE_FORMAT - 1, TABLE_FORMAT + 1, "1"])(
  "a table of the format %j refuses the start",
  async (format) => {
    const table = new MemoryTable();
    await table.put({ ...SCHEMA, format });
    await expect(claimTable(table, "")).rejects.toMatchObject({ code: "META0010" });
  },
);

test("a table with data and without a schema item refuses the start, and stays as it is", async () => {
  const table = new MemoryTable();
  await environmentSecret(table, "", freshSecretBytes);
  await expect(claimTable(table, "")).rejects.toMatchObject({ code: "META0011" });
  expect(table.shown(SCHEMA)).toBeUndefined();
});

test("a table recognises the secret that it was written under, and does not contain it", async () => {
  const table = new MemoryTable();
  const secret = freshSecretBytes(32);
  expect(await recognisedSecret(table, "", secret)).toBe(secret);
  expect(await recognisedSecret(table, "", secret)).toBe(secret);
  await expect(recognisedSecret(table, "", freshSecretBytes(32))).rejects.toMatchObject({ code: "RT0002" });
  const hidden = Buffer.from(secret).toString("base64url");
  expect(JSON.stringify(table.all())).not.toContain(hidden);
  expect(table.all().flatMap(Object.values)).not.toContainEqual(secret);
});

test("a table that has its own secret keeps it", async () => {
  const table = new MemoryTable();
  const own = await environmentSecret(table, "", freshSecretBytes);
  expect(await recognisedSecret(table, "", freshSecretBytes(32))).toEqual(own);
});
