/**
 * Builds the folder of the npm package for CDK apps: constructs in one file with declarations, the functions, and the
 * list of bundled packages.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { bundledPackages } from "./bundled-packages.mjs";
import { bundleFunctions, productEntries } from "./bundle.mjs";
import { publishedManifest } from "./published-manifest.mjs";

const ROOT = join(import.meta.dirname, "../..");
const TARGET = resolve(process.argv[2] ?? join(ROOT, "dist/cdk"));
const CONSTRUCTS = {
  Stepwell: "infra/stepwell",
  StepwellDeployment: "infra/stepwell-deployment",
  StepwellSchedule: "infra/stepwell-schedule",
};
const SBOM_FILE = "sbom.cdx.json";

rmSync(TARGET, { recursive: true, force: true });
await build({
  absWorkingDir: ROOT,
  stdin: { contents: exportsOf(".ts"), resolveDir: ROOT, loader: "ts" },
  outfile: join(TARGET, "index.js"),
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  packages: "external",
  logLevel: "warning",
});
declare(join(TARGET, "declarations"));
writeFileSync(join(TARGET, "index.d.ts"), exportsOf(".js", "./declarations/", true));
const metafile = await bundleFunctions(productEntries(), join(TARGET, "functions"));
writeFileSync(join(TARGET, SBOM_FILE), sbomText(bundledPackages(metafile, ROOT), ownPackage()));

function ownPackage() {
  return publishedManifest(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
}

/** @param withProps adds the types of properties, which exist only in declarations */
function exportsOf(extension, folder = "./", withProps = false) {
  const lines = Object.entries(CONSTRUCTS).map(([name, path]) => {
    const names = withProps ? `${name}, type ${name}Props` : name;
    return `export { ${names} } from "${folder}${path}${extension}";\n`;
  });
  return lines.join("");
}

/** Writes the declarations, with the compiler options of the project but without its list of files. */
function declare(folder) {
  const options = ["strict", "exactOptionalPropertyTypes", "allowImportingTsExtensions", "skipLibCheck"];
  const args = [...options.flatMap((name) => [`--${name}`, "true"]), "--ignoreConfig", "--types", "node"];
  args.push("--target", "es2023", "--module", "nodenext", "--declaration", "--emitDeclarationOnly");
  args.push("--rootDir", ROOT, "--outDir", folder, ...Object.values(CONSTRUCTS).map((path) => `${path}.ts`));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...args], { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`the declarations are not made:\n${stdout}`);
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    // Consumers resolve the published files, whose names end in .js.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from|import\()( ?")(\.[^"]+)\.ts"/g, '$1$2$3.js"'));
  }
}

/**
 * The list depends on the packages alone: it has no timestamp and no serial number, so that builds can be compared.
 * @param packages as `bundledPackages` finds them
 * @param own Stepwell's `package.json`
 */
function sbomText(packages, own) {
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: componentOf("application", own) },
    components: packages.map((one) => componentOf("library", one)),
    dependencies: [{ ref: purlOf(own), dependsOn: packages.map(purlOf) }],
  };
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}

function componentOf(type, { name, version, license }) {
  const [group, rest] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const purl = purlOf({ name, version });
  return { type, "bom-ref": purl, ...(group && { group }), name: rest, version, licenses: [licenseOf(license)], purl };
}

/** CycloneDX requires an expression for combined licenses, and an id for a single one. */
function licenseOf(license) {
  return /[\s()]/.test(license) ? { expression: license } : { license: { id: license } };
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
