/** Reads from esbuild's metafile which packages a bundle contains, and compiles their license texts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const LICENSES_FILE = "THIRD-PARTY-LICENSES.txt";
const PACKAGE_FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENSE_TEXT = /^(?:licen[cs]e|copying|notice)(?:[.-][\w.-]+)?$/i;

/**
 * @typedef {object} BundledPackage
 * @property {string} name
 * @property {string} version
 * @property {string} license in its `package.json`, such as `MIT`
 * @property {readonly string[]} texts
 */

/**
 * @param {import("esbuild").Metafile} metafile of a build whose paths are relative to `root`
 * @param {string} root
 * @param {readonly string[]} [outputs] the files to look at; by default all files of the build
 * @returns {BundledPackage[]} sorted by name and version
 * @throws Error if a package names no license, or has no license text and is not under Apache-2.0
 */
export function bundledPackages(metafile, root, outputs = Object.keys(metafile.outputs)) {
  const folders = new Set();
  for (const output of outputs) {
    for (const [path, { bytesInOutput }] of Object.entries(metafile.outputs[output].inputs)) {
      const [folder] = PACKAGE_FOLDER.exec(path) ?? [];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  }
  const found = new Map([...folders].map((folder) => packageIn(join(root, folder))).map((one) => [idOf(one), one]));
  return [...found.values()].toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

/**
 * The license texts to ship with the bundle: each text once, below the names of the packages that include it.
 * @param {readonly BundledPackage[]} packages
 * @returns {string}
 */
export function licensesText(packages) {
  const bearers = new Map();
  for (const { texts, ...one } of packages) {
    for (const text of texts) bearers.set(text, [...(bearers.get(text) ?? []), `${idOf(one)} (${one.license})`]);
  }
  const parts = [...bearers].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  const opening = "This code contains the following packages, each under the license below its name.\n";
  return [opening, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

function packageIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => LICENSE_TEXT.test(file));
  const texts = files.toSorted().map((file) => textIn(join(folder, file)));
  // Some AWS packages name Apache-2.0 without including its text. The text names no holder, so Stepwell's copy serves.
  if (texts.length === 0 && license === "Apache-2.0") texts.push(textIn(join(import.meta.dirname, "../../LICENSE")));
  if (typeof license !== "string") throw new Error(`${name} is bundled and names no license`);
  if (texts.length === 0) throw new Error(`${name} is bundled and brings no text of its license (${license})`);
  return { name, version, license, texts };
}

function textIn(file) {
  return readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim();
}

function idOf({ name, version }) {
  return `${name}@${version}`;
}
