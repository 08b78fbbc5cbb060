import { readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import lock from "../../package-lock.json" with { type: "json" };
import { publishedFiles } from "./published-files.ts";

const { resolve } = createRequire(import.meta.url);

test.each(["@restatedev/restate-sdk-clients", "@restatedev/restate-sdk", "@restatedev/restate-sdk-core"] as const)(
  "%s is installed as it was published, file by file",
  (name) => {
    const { version, integrity } = lock.packages[`node_modules/${name}`];
    const published = publishedFiles(name, version, integrity);
    const dir = packageDir(name);
    const installed = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
      (path) => !path.startsWith("node_modules") && statSync(join(dir, path)).isFile(),
    );
    expect(installed.toSorted()).toEqual([...published.keys()].toSorted());
    for (const [path, bytes] of published) expect(readFileSync(join(dir, path)).equals(bytes), path).toBe(true);
  },
);

test("a tarball with another integrity is refused", () => {
  const { version } = lock.packages["node_modules/@restatedev/restate-sdk-core"];
  const other = `sha512-${Buffer.alloc(64).toString("base64")}`;
  expect(() => publishedFiles("@restatedev/restate-sdk-core", version, other)).toThrow(/not sha512-AAAA/);
});

function packageDir(name: string): string {
  const main = resolve(name);
  return join(dirname(main).split(join("node_modules", name))[0]!, "node_modules", name);
}
