/** Prepares the two brokers once, in a folder of this user outside of the repository, and again when their sources change. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

const HERE = import.meta.dirname;
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

/** @throws Error with the output of the tool that failed */
export function prepareBrokers() {
  const cache = openCache();
  const kafkaLib = once(cache, "kafka", ["kafka/pom.xml"], (to) =>
    run("mvn", [
      "-B",
      "-q",
      "-f",
      join(HERE, "kafka/pom.xml"),
      COPY,
      "-DincludeScope=runtime",
      `-DoutputDirectory=${to}`,
    ]),
  );
  const kfake = once(cache, "kfake", ["kfake/main.go", "kfake/go.mod", "kfake/go.sum"], (to) =>
    run("go", ["build", "-o", to, "."], join(HERE, "kfake")),
  );
  return { kafkaLib, kfake };
}

/** @throws Error if another user owns the folder, because this program executes files of the folder */
function openCache() {
  const { uid } = userInfo();
  const cache = join(tmpdir(), `stepwell-topics-${uid}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const found = lstatSync(cache);
  if (!found.isDirectory() || found.uid !== uid) throw new Error(`${cache} belongs to another user`);
  return cache;
}

/** Lets `make` write under another name first, so that an interrupted run leaves nothing incomplete under the final name. */
function once(cache, name, sources, make) {
  const digest = createHash("sha256");
  for (const source of sources) digest.update(readFileSync(join(HERE, source)));
  const path = join(cache, `${name}-${digest.digest("hex").slice(0, 16)}`);
  if (existsSync(path)) return path;
  const unfinished = `${path}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  make(unfinished);
  if (!existsSync(path)) renameSync(unfinished, path);
  return path;
}

function run(command, args, cwd = HERE) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed\n${stdout}${stderr}`);
}
