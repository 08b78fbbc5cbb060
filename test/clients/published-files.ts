/** The published files of a package, from the tarball whose integrity is the one in the lock file. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const BLOCK_BYTES = 512;

/**
 * Reads npm's own cache, where `npm ci` leaves its downloads; if the tarball is not there, reads the registry.
 * @param integrity the value from `package-lock.json`: `sha512-` and base64
 * @returns the contents of the files, by path in the package
 * @throws Error if the found bytes have another integrity
 */
export function publishedFiles(name: string, version: string, integrity: string): ReadonlyMap<string, Buffer> {
  const tarball = cachedTarball(integrity) ?? packedTarball(name, version);
  const found = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  if (found !== integrity) throw new Error(`the tarball of ${name} has the integrity ${found}, not ${integrity}`);
  return tarFiles(gunzipSync(tarball));
}

function cachedTarball(integrity: string): Buffer | undefined {
  const hex = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  const cache = execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8", stdio: "pipe" }).trim();
  const path = join(cache, "_cacache/content-v2/sha512", hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
  return existsSync(path) ? readFileSync(path) : undefined;
}

function packedTarball(name: string, version: string): Buffer {
  const dir = mkdtempSync(join(tmpdir(), "stepwell-pack-"));
  try {
    const args = ["pack", `${name}@${version}`, "--json", "--pack-destination", dir];
    const [packed] = JSON.parse(execFileSync("npm", args, { encoding: "utf8", stdio: "pipe" })) as [
      { filename: string },
    ];
    return readFileSync(join(dir, packed.filename.replace("@", "").replace("/", "-")));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The regular files of a tar archive, below its one top folder. */
function tarFiles(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK_BYTES <= archive.length;) {
    const field = (from: number, to: number): string => archive.toString("utf8", at + from, at + to).split("\0", 1)[0]!;
    const path = [field(345, 500), field(0, 100)].filter((part) => part !== "").join("/");
    if (path === "") break;
    const size = parseInt(field(124, 136), 8);
    const kind = field(156, 157);
    if (kind !== "0" && kind !== "") throw new Error(`the archive has an entry of kind ${kind}`);
    const from = at + BLOCK_BYTES;
    files.set(path.slice(path.indexOf("/") + 1), archive.subarray(from, from + size));
    at = from + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return files;
}
