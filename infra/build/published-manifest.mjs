/** Makes the manifest of the npm package from the manifest of this repository, and checks a tarball against it. */

/**
 * @typedef {object} PublishedManifest
 * @property {string} name
 * @property {string} version
 * @property {{ readonly stepwell: string }} bin
 * @property {Readonly<Record<string, string | Readonly<Record<string, string>>>>} exports
 * @property {readonly string[]} files
 * @property {Readonly<Record<string, string>>} dependencies
 */

/** Fields that serve only the development in the repository. */
const OF_THE_SOURCES = ["//", "private", "config", "scripts", "devDependencies"];

/**
 * The manifest of the repository has its version in `config`, and no field `version`, so that npm refuses to pack the folder
 * of the repository, which lacks the built files. npm refuses this even if it runs no scripts.
 * @param {any} own the parsed `package.json` of this repository
 * @returns {PublishedManifest}
 */
export function publishedManifest(own) {
  const { name, ...rest } = own;
  const kept = Object.entries(rest).filter(([field]) => !OF_THE_SOURCES.includes(field));
  return { name, version: own.config.version, ...Object.fromEntries(kept) };
}

/**
 * @param {Pick<PublishedManifest, "bin" | "exports" | "files">} manifest
 * @param {readonly string[]} packed the paths in the tarball
 * @returns {string[]} the commands, entry points, files and folders that the manifest names and the tarball lacks
 */
export function missingParts({ bin, exports, files }, packed) {
  const entryPoints = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? entry : Object.values(entry),
  );
  const promised = [...Object.values(bin), ...entryPoints.map((path) => path.replace(/^\.\//, "")), ...files];
  const isThere = (path) => packed.some((one) => one === path || one.startsWith(`${path}/`));
  return [...new Set(promised)].filter((path) => !isThere(path));
}
