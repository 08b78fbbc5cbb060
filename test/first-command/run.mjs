/**
 * Repeats the first steps of a newcomer: a fresh clone, the README's first command, the printed curl lines, the kill in the middle,
 * Ctrl-C, taken ports; then the package without the clone, and each of its templates.
 */
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { verifyKill } from "./kill.mjs";
import { readmeCommand } from "./readme-command.mjs";
import { verifyTakenPorts } from "./taken-ports.mjs";
import { packed, verifyTarball } from "./tarball.mjs";
import { verifyTemplates } from "./templates.mjs";
import { close, openTerminal, paste, printedLine, printedLines, takenPorts } from "./terminal.mjs";

const PORTS = [8080, 9070, 9080];
const ANSWERED_WITHIN_S = 600;
const QUIET_MS = 500;

const ROOT = join(import.meta.dirname, "../..");
const temporary = mkdtempSync(join(tmpdir(), "stepwell-first-command-"));
const clone = join(temporary, "clone");
const cache = join(temporary, "npm-cache");

/** The answer to each printed line, but to that of the kill. */
const ANSWERS = /^[A-Z].*, Ada!$/;
const OF_KILL = "/kitchen/breakfast/send ";

let passed = 0;
let failed = 0;
let skipped = 0;
function verify(what, holds, detail = "") {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? "ok    " : "FAILED"} ${what}${holds || detail === "" ? "" : `: ${detail}`}`);
}

function megabytesOf(folder) {
  let blocks = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    blocks += lstatSync(join(entry.parentPath, entry.name)).blocks;
  }
  return Math.round((blocks * 512) / 1e6);
}

function verifyAnswer(line, { body, status, stderr }) {
  let right = false;
  try {
    right = ANSWERS.test(JSON.parse(body));
  } catch {
    // A body that is not JSON is wrong, and is printed below.
  }
  verify(`${line}  ->  ${status} ${body}`, status >= 200 && status < 300 && right, stderr);
}

async function run() {
  const taken = await takenPorts(PORTS);
  if (taken.length > 0) throw new Error(`Ports ${taken.join(", ")} are taken: this test needs them`);
  mkdirSync(cache);
  writeFileSync(join(temporary, ".curlrc"), 'silent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
  spawnSync("git", ["clone", "--quiet", ROOT, clone], { stdio: "inherit" });
  const command = readmeCommand(readFileSync(join(clone, "README.md"), "utf8"), "start");
  console.log(`The first command: ${command}`);

  const startedMs = performance.now();
  const running = openTerminal(command, { clone, cache });
  try {
    const first = await printedLine(running, "curl ");
    const answer = paste(first, temporary);
    const seconds = (performance.now() - startedMs) / 1000;
    verifyAnswer(first, answer);
    verify(`the first curl is answered after ${seconds.toFixed(1)} s`, seconds <= ANSWERED_WITHIN_S);
    await sleep(QUIET_MS);
    const others = printedLines(running, "curl ").slice(1);
    verify("two or three lines are printed", others.length === 1 || others.length === 2, `${others.length + 1}`);
    for (const line of others.filter((text) => !text.includes(OF_KILL))) verifyAnswer(line, paste(line, temporary));
    for (const line of others.filter((text) => text.includes("idempotency-key"))) {
      verify("under one idempotency key the answer stays", paste(line, temporary).body === paste(line, temporary).body);
    }
    const installed = megabytesOf(join(clone, "node_modules"));
    const cached = megabytesOf(cache);
    const sizes = `node_modules ${installed} MB, npm cache ${cached} MB`;
    console.log(`first command: ${seconds.toFixed(1)} s, ${installed + cached} MB (${sizes})`);
    await verifyKill(running, { clone, cache, temporary, ports: PORTS }, verify);
  } finally {
    await close(running);
  }
  await verifyTakenPorts({ clone, cache, temporary }, verify);
  const tarball = packed(clone, cache);
  await verifyTarball({ tarball, temporary, cache }, verify);
  skipped = await verifyTemplates({ tarball, temporary, cache }, verify);
}

try {
  await run();
} catch (error) {
  verify("the test ran to its end", false, error.message);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
