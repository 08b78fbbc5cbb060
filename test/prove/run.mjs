/**
 * `npm run prove -- [--long] [--part NAME]... [--again] [--missing] [--json] [--write-docs]`: runs each part of the proof and prints
 * what it played. A chunk that has passed at this commit is not played again, so a long run can be stopped at any time and goes on where
 * it was. With `--missing`, neither is a chunk that the page has from another commit.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PARTS } from "./parts.mjs";
import { sumOf } from "./figures.mjs";
import { chunksKept, readKept, writeDocs } from "./page.mjs";

const ROOT = join(import.meta.dirname, "../..");
const NAMES = PARTS.map(({ name }) => name);

function options() {
  try {
    const { values } = parseArgs({
      options: {
        long: { type: "boolean", default: false },
        part: { type: "string", multiple: true, default: [] },
        /** Plays chunks again that have passed. */
        again: { type: "boolean", default: false },
        /** Plays only chunks that docs/reliability.json does not have, whatever their commit. */
        missing: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        /** Writes what was played into docs/reliability.json and docs/reliability.md. */
        "write-docs": { type: "boolean", default: false },
      },
    });
    const unknown = values.part.filter((name) => !NAMES.includes(name));
    if (unknown.length > 0) throw new Error(`there is no part '${unknown[0]}'; the parts are ${NAMES.join(", ")}`);
    return values;
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

/** The files that `--write-docs` writes: what was played does not depend on them. */
const WRITTEN = [":!docs/reliability.json", ":!docs/reliability.md"];

/** @returns the commit, with a mark if the tree differs from it, because the figures then belong to no commit */
function versionOfTree() {
  const git = (...args) => spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout?.trim() ?? "";
  const commit = git("rev-parse", "--short=12", "HEAD") || "no-commit";
  return git("status", "--porcelain", "--untracked-files=no", "--", ".", ...WRITTEN) === ""
    ? commit
    : `${commit}-changed`;
}

const { long, part: chosen, again, missing, json, "write-docs": writesDocs } = options();
const form = long ? "long" : "short";
const version = versionOfTree();
const store = join(ROOT, ".cache/prove", version, form);
let running;
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    running?.kill(signal);
    console.error("stopped; the same command goes on with the chunk that was under way");
    process.exit(130);
  });

/** @returns what the chunk played; it is kept in a file if the chunk passed */
async function played(name, at, of, { command, env }) {
  const folder = join(store, `${name}-${at + 1}`);
  const kept = `${folder}.json`;
  if (!again && existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const words = Object.entries(env).map(([key, value]) => `${key}=${value} `);
  if (!json) console.log(`--- ${name} ${at + 1}/${of}: ${words.join("")}${command}`);
  const startedAtMs = Date.now();
  running = spawn("sh", ["-c", command], {
    cwd: ROOT,
    env: { ...process.env, ...env, STEPWELL_FIGURES: folder },
    stdio: ["ignore", json ? "ignore" : "inherit", json ? "ignore" : "inherit"],
  });
  const [code] = await once(running, "exit");
  const figures = sumOf(readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8"))));
  const result = { passed: code === 0, seconds: Math.round((Date.now() - startedAtMs) / 1000), figures };
  if (result.passed) writeFileSync(kept, `${JSON.stringify(result)}\n`);
  return result;
}

const run = { version, form, node: process.version, cpu: cpus()[0]?.model ?? "unknown" };
const results = [];
for (const { name, what, [form]: chunks } of PARTS) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const kept = chunksKept(readKept(), name, form);
  const done = [];
  for (const [at, chunk] of chunks.entries()) {
    if (missing && kept.has(at + 1)) continue;
    done.push({ number: at + 1, ...(await played(name, at, chunks.length, chunk)) });
    if (writesDocs) writeDocs({ ...run, parts: [partOf({ name, what }, chunks.length, done)] });
  }
  results.push(partOf({ name, what }, chunks.length, done));
}

/** @returns what a run has played of a part so far */
function partOf(part, chunks, done) {
  const passed = done.filter((one) => one.passed);
  return {
    ...part,
    chunks,
    failed: done.length - passed.length,
    seconds: done.reduce((sum, one) => sum + one.seconds, 0),
    figures: sumOf(done.map(({ figures }) => figures)),
    played: passed,
  };
}

const failed = results.reduce((sum, one) => sum + one.failed, 0);
if (json) console.log(JSON.stringify({ ...run, parts: results }, null, 2));
else {
  console.log(`\n${version}, the ${form} form, Node ${process.version}`);
  for (const { name, chunks, failed: bad, seconds, figures, played: held } of results) {
    const played = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toLocaleString("en")}`);
    const counted = `${held.length + bad} of ${chunks} chunks`;
    console.log(`${bad === 0 ? "held  " : "BROKEN"} ${name.padEnd(17)} ${counted}, ${seconds} s: ${played.join(", ")}`);
  }
  console.log(`${results.length} parts, ${failed} chunks failed`);
}
process.exit(failed === 0 ? 0 : 1);
