/** The first items of a table: its format, and the secret that it is written under. */
import { expect, test } from "vitest";
import { TABLE_FORMAT } from "../../shared/config/table-facts.ts";
import { environmentSecret, recognisedSecret } from "../../shared/wiring/environment-secret.ts";
import { freshSecretBytes } from "../../shared/wiring/fresh-bytes.ts";
import { claimTable } from "../../shared/wiring/table-format.ts";
import { MemoryTable } from "../simulation/memory-table.ts";

const SCHEMA = { pk: "schema", sk: "format" };
const SECRET = { pk: "secret", sk: "hmac" };

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

test.each([0, TABLE_FORMAT + 1, "1"])("a table of the format %j refuses the start", async (format) => {
  const table = new MemoryTable();
  await table.put({ ...SCHEMA, format });
  await expect(claimTable(table, "")).rejects.toMatchObject({ code: "META0010" });
});

test("a table of an older format is raised once, even by many at the same time, and keeps its number of shards", async () => {
  const table = new MemoryTable();
  await table.put({ ...SCHEMA, format: TABLE_FORMAT - 1, indexShardsMin: 8 });
  const starts = await Promise.all([claimTable(table, ""), claimTable(table, ""), claimTable(table, "")]);
  for (const each of [...starts, await claimTable(table, "")]) expect(each).toEqual({ indexShardsMin: 8 });
  // Older programs start only on a table of their own format.
  expect(table.shown(SCHEMA)).toEqual({ ...SCHEMA, format: TABLE_FORMAT, indexShardsMin: 8 });
});

test("a table with data and without a schema item refuses the start, and stays as it is", async () => {
  const table = new MemoryTable();
  await environmentSecret(table, "", freshSecretBytes);
  await expect(claimTable(table, "")).rejects.toMatchObject({ code: "META0011" });
  expect(table.shown(SCHEMA)).toBeUndefined();
});

test("a table of an earlier version is taken over once, even by many at the same time, with its secret and its shards", async () => {
  const table = new MemoryTable();
  const bytes = freshSecretBytes(32);
  await table.put({ ...SECRET, bytes });
  const start = async () => {
    const claimed = await claimTable(table, "");
    return { ...claimed, secret: await recognisedSecret(table, "", freshSecretBytes(32)) };
  };
  const starts = [...(await Promise.all([start(), start(), start()])), await start()];
  for (const each of starts) expect(each).toEqual({ indexShardsMin: 8, secret: bytes });
  expect(table.shown(SCHEMA)).toMatchObject({ format: TABLE_FORMAT });
});

test("programs of an earlier version find no secret in a table of this program, and so do not start", async () => {
  const [former, fresh] = [new MemoryTable(), new MemoryTable()];
  await former.put({ ...SECRET, bytes: freshSecretBytes(32) });
  for (const table of [former, fresh]) {
    await claimTable(table, "");
    await environmentSecret(table, "", freshSecretBytes);
    // Earlier programs first read the attribute `bytes`, and start only if it contains 32 bytes.
    expect(table.shown(SECRET)).toBeDefined();
    expect(table.shown(SECRET)).not.toHaveProperty("bytes");
  }
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
