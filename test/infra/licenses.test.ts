/** Tests that a bundled function contains the licenses of its own packages, and no others. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { bundleFunctions } from "../../infra/build/bundle.mjs";
import { bundledPackages, licensesText } from "../../infra/build/bundled-packages.mjs";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-licenses-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("each function has the names and license texts of its own packages beside its code", async () => {
  const folder = emptyFolder();
  const entries = { registrar: "functions/registrar/lambda.ts", worker: "functions/worker/lambda.ts" };
  await bundleFunctions(entries, folder, { quiet: true });
  const [registrar, worker] = Object.keys(entries).map((name) =>
    readFileSync(join(folder, name, "THIRD-PARTY-LICENSES.txt"), "utf8"),
  ) as [string, string];
  expect(registrar).toMatch(/^@smithy\/signature-v4@[\d.]+ \(Apache-2\.0\)$/m);
  expect(registrar).toContain("Apache License");
  expect(registrar).not.toContain("@aws-sdk/client-dynamodb@");
  expect(worker).toMatch(/^@aws-sdk\/client-dynamodb@[\d.]+ \(Apache-2\.0\)$/m);
  expect(worker).toMatch(/^@uwdata\/flechette@[\d.]+ \(BSD-3-Clause\)$|^smol-toml@[\d.]+ \(BSD-3-Clause\)$/m);
  expect(worker).toContain("Redistributions of source code must retain the above copyright notice");
  expect(worker).toContain("The above copyright notice and this permission notice shall be included in all");
});

async function bundleWith(manifest: object, files: Readonly<Record<string, string>>) {
  const root = emptyFolder();
  const place = join(root, "node_modules/planted");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "planted", version: "1.2.3", ...manifest }));
  for (const [name, text] of Object.entries({ "index.js": "export const one = 1;", ...files })) {
    writeFileSync(join(place, name), text);
  }
  writeFileSync(join(root, "entry.js"), 'import { one } from "planted"; console.log(one);');
  const told = { absWorkingDir: root, bundle: true, metafile: true, write: false, logLevel: "silent" } as const;
  const { metafile } = await build({ ...told, entryPoints: ["entry.js"], outdir: "out" });
  return () => bundledPackages(metafile, root);
}

test("a package has the text of its license and its notices, each once", async () => {
  const packages = (await bundleWith({ license: "ISC" }, { LICENSE: "One\r\nlicense", "NOTICE.md": "A notice" }))();
  expect(packages).toEqual([
    { name: "planted", version: "1.2.3", license: "ISC", texts: ["One\nlicense", "A notice"] },
  ]);
  const twin = { ...packages[0]!, name: "twin" };
  const text = licensesText([...packages, twin]);
  expect(text.match(/One\nlicense/g)).toHaveLength(1);
  expect(text).toContain("planted@1.2.3 (ISC)\ntwin@1.2.3 (ISC)\n\nOne\nlicense\n");
});

test("a package without a license or its text fails the build", async () => {
  expect(await bundleWith({}, { LICENSE: "One" })).toThrow("planted is bundled and names no license");
  expect(await bundleWith({ license: "MIT" }, {})).toThrow(
    "planted is bundled and brings no text of its license (MIT)",
  );
});
