/**
 * Checks the packages inside the bundles: NOTICE and the SBOM name exactly these packages, and each package has a license that
 * allows distribution.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunctions, productEntries } from "../../infra/build/bundle.mjs";
import { HERE, outcomeOf, ROOT } from "./outcome.ts";

/** These licenses ask only for their text and notices, which `THIRD-PARTY-LICENSES.txt` contains. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  readonly purl: string;
}

let folder: string;
let metafile: Metafile;
let bundled: readonly Manifest[];

/** Reads the inputs of the metafile, independently of the build's own code. */
function manifestsOf({ outputs }: Metafile): readonly Manifest[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([path, { bytesInOutput }]) => path.includes("node_modules/") && bytesInOutput > 0);
  const folders = used.map(([path]) => {
    const parts = path.split("/");
    const at = parts.lastIndexOf("node_modules");
    return parts.slice(0, at + (parts[at + 1]!.startsWith("@") ? 3 : 2)).join("/");
  });
  return [...new Set(folders)].map(
    (place) => JSON.parse(readFileSync(join(ROOT, place, "package.json"), "utf8")) as Manifest,
  );
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepwell-bundles-"));
  metafile = await bundleFunctions(productEntries(), join(folder, "functions"), { quiet: true });
  bundled = manifestsOf(metafile);
  const { code, told } = await outcomeOf(process.execPath, [join(ROOT, "infra/build/pack.mjs"), join(folder, "cdk")]);
  expect(code, told).toBe(0);
  const build = await outcomeOf(process.execPath, [join(ROOT, "build.mjs"), join(folder, "dist")]);
  expect(build.code, build.told).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every bundled package has a license that allows distribution", () => {
  expect(bundled.length).toBeGreaterThan(20);
  const others = bundled.filter(({ license }) => !ALLOWED.includes(license));
  expect(others.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
});

test("NOTICE names exactly the bundled packages under their licenses, and points to existing files", () => {
  const notice = readFileSync(join(ROOT, "NOTICE"), "utf8");
  const told = [...notice.matchAll(/^([\w.-]+):\n((?: {2}.+\n)+)/gm)].flatMap(([, license, names]) =>
    names!.split(/[\s,]+/).flatMap((name) => (name === "" ? [] : [`${name}: ${license}`])),
  );
  const wanted = new Set(bundled.map(({ name, license }) => `${name}: ${license}`));
  expect(told.toSorted()).toEqual([...wanted].toSorted());
  for (const name of Object.keys(productEntries())) {
    expect(existsSync(join(folder, "cdk/functions", name, "THIRD-PARTY-LICENSES.txt")), name).toBe(true);
  }
});

test("the list of bundled packages is valid, and names exactly these packages", async () => {
  const file = join(folder, "cdk/sbom.cdx.json");
  const { components } = JSON.parse(readFileSync(file, "utf8")) as { readonly components: readonly Component[] };
  const listed = components.map(({ group, name, version, licenses, purl }) => {
    expect(purl).toBe(`pkg:npm/${group === undefined ? "" : `${group.replace("@", "%40")}/`}${name}@${version}`);
    return `${group === undefined ? "" : `${group}/`}${name}@${version} ${licenses[0]!.license.id}`;
  });
  const inside = bundled.map(({ name, version, license }) => `${name}@${version} ${license}`);
  expect(listed.toSorted()).toEqual([...new Set(inside)].toSorted());
  const validate = (path: string) => outcomeOf(process.execPath, [join(HERE, "valid-sbom.mjs"), path]);
  expect(JSON.parse((await validate(file)).out)).toBeNull();
  const broken = join(folder, "broken.json");
  writeFileSync(broken, readFileSync(file, "utf8").replace('"type": "library"', '"type": "novel"'));
  expect(JSON.parse((await validate(broken)).out)).not.toBeNull();
});

test("the same sources give the same files, byte for byte", async () => {
  const built = async (name: string) => {
    const place = join(folder, name);
    const { code, told } = await outcomeOf(process.execPath, [join(ROOT, "build.mjs"), join(place, "dist")]);
    expect(code, told).toBe(0);
    const packed = await outcomeOf(process.execPath, [join(ROOT, "infra/build/pack.mjs"), join(place, "cdk")]);
    expect(packed.code, packed.told).toBe(0);
    const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const hashes = files.map((file) => {
      const path = join(file.parentPath, file.name);
      return `${relative(place, path)} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
    });
    return hashes.toSorted();
  };
  const [first, second] = [await built("first"), await built("second")];
  expect(first.length).toBeGreaterThan(10);
  expect(second).toEqual(first);
});

test("the command and the constructs bundle no package", () => {
  const maps = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".js.map"),
  );
  expect(maps.length).toBeGreaterThan(1);
  const sources = maps.flatMap((path) => {
    const map = JSON.parse(readFileSync(join(folder, "dist", path), "utf8")) as { readonly sources: string[] };
    return map.sources;
  });
  expect(sources.some((path) => path.endsWith("functions/cli/stepwell.ts"))).toBe(true);
  expect(sources.filter((path) => path.includes("node_modules/"))).toEqual([]);
  // esbuild writes the path of each source file above its code.
  const paths = readFileSync(join(folder, "cdk/index.js"), "utf8").match(/^\/\/ \S+\.[jt]s$/gm) ?? [];
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => path.includes("node_modules/"))).toEqual([]);
});
