/** The constructs as another CDK app gets them: from the packed tarball, without the files of this repository. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publishedManifest } from "../../infra/build/published-manifest.mjs";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

const APP = `
import { App, Stack } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Stepwell, StepwellDeployment, type StepwellProps } from "stepwell/cdk";

const app = new App({ outdir: "cdk.out", analyticsReporting: false });
const choices: StepwellProps = { ingressAuth: { jwt: { issuer: "https://id.example", audiences: ["shop"] } } };
for (const name of ["Test", "Live"]) {
  const stack = new Stack(app, name);
  const { admin } = new Stepwell(stack, "Stepwell", choices);
  new StepwellDeployment(stack, "Shop", { admin, handlers: { url: "https://shop.example" } });
}
const restored = new Stack(app, "Restored");
new Stepwell(restored, "Stepwell", { table: TableV2.fromTableName(restored, "Table", "restored") });
app.synth();
`;

let folder: string;
const inApp = (path: string): string => join(folder, "app", path);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepwell-constructs-"));
  const source = join(folder, "source");
  await mkdir(source);
  const manifest = publishedManifest(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
  await writeFile(join(source, "package.json"), JSON.stringify(manifest));
  await run(process.execPath, [join(ROOT, "infra/build/pack.mjs"), join(source, "dist/cdk")]);
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts"], { cwd: source });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const modules = inApp("node_modules");
  await mkdir(join(modules, "stepwell"), { recursive: true });
  await run("tar", ["-xzf", join(source, filename), "-C", join(modules, "stepwell"), "--strip-components=1"]);
  // The packages of a minimal CDK app.
  for (const name of ["aws-cdk-lib", "constructs", "typescript", "@types/node"]) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
  await writeFile(inApp("package.json"), '{"type":"module"}');
  await writeFile(inApp("app.ts"), APP);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("a strict app compiles against the declarations, and synthesises two environments that share no name", async () => {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck"];
  const modules = ["--module", "nodenext", "--target", "es2023", "--types", "node", "--preserveSymlinks"];
  await run(process.execPath, [tsc, ...strict, ...modules, "app.ts"], { cwd: inApp("") }).catch((error) => {
    throw new Error(`it does not compile:\n${(error as { stdout: string }).stdout}`);
  });
  await run(process.execPath, ["app.js"], { cwd: inApp("") });
  const templates = await Promise.all(
    ["Test", "Live"].map((name) => readFile(inApp(`cdk.out/${name}.template.json`), "utf8")),
  );
  const namesIn = (template: string) => [
    // A name that ends with the Region is a join of two values.
    ...template.matchAll(
      /"(?:Path|Name|DashboardName)": (?:{\s*"Fn::Join": \[\s*"",\s*\[\s*)?"(\/?[\w/-]*Stepwell[\w/-]*)"/g,
    ),
  ];
  const names = templates.map((template) => namesIn(template).map(([, name]) => name));
  expect(names[0]!.length).toBeGreaterThanOrEqual(3);
  expect(names[0]!.filter((name) => names[1]!.includes(name))).toEqual([]);
  for (const template of templates) expect(template).toContain("https://id.example");
  const code = (await readdir(inApp("cdk.out"))).filter((name) => name.startsWith("asset."));
  expect(code.length).toBeGreaterThanOrEqual(6);
});

test("an app in CommonJS can import the constructs too", async () => {
  const script =
    'const { Stepwell, StepwellDeployment } = require("stepwell/cdk"); console.log(Stepwell.name, StepwellDeployment.name)';
  const { stdout } = await run(process.execPath, ["--input-type=commonjs", "-e", script], {
    cwd: inApp(""),
  });
  expect(stdout.trim()).toBe("Stepwell StepwellDeployment");
});

test("each packed function has the licenses of its packages, and a list names all packages", async () => {
  const packed = (path: string): string => inApp(`node_modules/stepwell/dist/cdk/${path}`);
  const bom = JSON.parse(await readFile(packed("sbom.cdx.json"), "utf8")) as { components: { purl: string }[] };
  const listed = bom.components.map(({ purl }) => purl.replace("pkg:npm/", "").replace("%40", "@"));
  const names = await readdir(packed("functions"));
  expect(names).toHaveLength(7);
  const carried = await Promise.all(
    names.map(async (name) => await readFile(packed(`functions/${name}/THIRD-PARTY-LICENSES.txt`), "utf8")),
  );
  const named = carried.flatMap((text) => [...text.matchAll(/^(\S+@\d[\w.-]*) \(/gm)].map(([, id]) => id!));
  expect(new Set(named)).toEqual(new Set(listed));
  expect(listed.length).toBeGreaterThan(20);
});
