/** The machine, and the versions of all programs, on which a result depends. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { NODE_24, ROOT } from "./ground.mjs";

/** @param dir a directory on the measured disk */
export function surroundings(dir) {
  const reference = versionsOf(join(ROOT, "test/compat/package.json"));
  return {
    cpus: cpus().length,
    cpu: cpus()[0].model.trim(),
    memoryGb: totalmem() / 1024 ** 3,
    kernel: `Linux ${release()}`,
    fileSystem: execFileSync("df", ["--output=fstype", dir], { encoding: "utf8" }).trim().split("\n")[1],
    versions: {
      stepwell: JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).config.version,
      node: process.versions.node,
      reference: reference["@restatedev/restate-server"],
      sdk: versionsOf(join(ROOT, "package.json"))["@restatedev/restate-sdk"],
      handlerNode: execFileSync(NODE_24, ["--version"], { encoding: "utf8" }).trim().slice(1),
      // `wrk -v` prints the version, but exits with a failure.
      wrk: /wrk (\S+)/.exec(spawnSync("wrk", ["-v"], { encoding: "utf8" }).stdout)?.[1] ?? "unknown",
    },
  };
}

function versionsOf(packageFile) {
  return JSON.parse(readFileSync(packageFile, "utf8")).devDependencies;
}
