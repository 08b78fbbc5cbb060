/** The manifest of the npm package, made from the manifest of this repository, which npm refuses to pack. */

/** Fields for work in the repository alone. */
const OF_THE_SOURCES = ["//", "private", "config", "scripts", "devDependencies"];

/**
 * The manifest of the repository has no `version`, because npm refuses to pack a folder without one even where it runs no
 * scripts; the number is in `config`.
 * @param own the manifest of this repository
 */
export function publishedManifest(own) {
  const { name, ...rest } = own;
  const kept = Object.entries(rest).filter(([field]) => !OF_THE_SOURCES.includes(field));
  return { name, version: own.config.version, ...Object.fromEntries(kept) };
}

/**
 * @param packed the paths in the tarball
 * @returns the promises of the manifest that the tarball lacks: commands, entry points, files and folders
 */
export function missingParts({ bin, exports, files }, packed) {
  const entryPoints = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? entry : Object.values(entry),
  );
  const promised = [...Object.values(bin), ...entryPoints.map((path) => path.replace(/^\.\//, "")), ...files];
  const isThere = (path) => packed.some((one) => one === path || one.startsWith(`${path}/`));
  return [...new Set(promised)].filter((path) => !isThere(path));
}
