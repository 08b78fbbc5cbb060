/** The files of a fixture: the contents of a table and of a data directory, each with an `Account` of the work that wrote it. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Account } from "./account.ts";

const FIXTURES = "fixtures";
/** LevelDB's own log, and its lock. */
const NOT_STORED = new Set(["LOCK", "LOG", "LOG.old"]);

export type StoredItem = Record<string, AttributeValue>;
/** The contents of a directory in base64, by path. */
export type StoredFiles = Readonly<Record<string, string>>;

export interface TableFixture {
  readonly account: Account;
  readonly items: readonly StoredItem[];
}

export interface DirectoryFixture {
  readonly account: Account;
  readonly files: StoredFiles;
}

export function writeFixture(folder: string, name: string, fixture: TableFixture | DirectoryFixture): void {
  const path = join(folder, `${name}.json.gz`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, gzipSync(JSON.stringify(fixture, bytesAsBase64), { level: 9 }));
  console.log(`${path}: ${statSync(path).size} bytes`);
}

/** @param version the folder of a fixture. */
export function readTableFixture(version: string): TableFixture {
  return read(version, "table", (key, value: unknown) =>
    key === "B" && typeof value === "string" ? new Uint8Array(Buffer.from(value, "base64")) : value,
  ) as TableFixture;
}

export function readDirectoryFixture(version: string): DirectoryFixture {
  return read(version, "directory") as DirectoryFixture;
}

function read(version: string, name: string, revive?: (key: string, value: unknown) => unknown): unknown {
  const path = join(import.meta.dirname, FIXTURES, version, `${name}.json.gz`);
  return JSON.parse(gunzipSync(readFileSync(path)).toString(), revive) as unknown;
}

/** The versions with fixtures. */
export function fixtureVersions(): readonly string[] {
  return readdirSync(join(import.meta.dirname, FIXTURES)).sort();
}

/** JSON would turn typed arrays into objects of numbers. */
function bytesAsBase64(key: string, value: unknown): unknown {
  return key === "B" && value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

export function filesOf(dir: string): StoredFiles {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !NOT_STORED.has(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(dir, path), readFileSync(path).toString("base64")]));
}

export function putFiles(dir: string, files: StoredFiles): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), Buffer.from(content, "base64"));
  }
}
