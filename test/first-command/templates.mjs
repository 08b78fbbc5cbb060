/** Repeats the first steps with each template: the installed package writes it, and the printed commands lead to an answer. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SDKS } from "../sdks/sdk-builds.mjs";
import { toolsOf } from "../sdks/toolchain.mjs";

const ANSWERED_WITHIN_MS = 600_000;
const POLL_EVERY_MS = 100;
const INGRESS = "localhost:8080";

/** The expected answer to the first call of each README, and a change of the sources with the answer after it. */
const TEMPLATES = [
  {
    name: "greeter",
    answers: /^"[A-Z].*, Ada!"$/,
    edit: { file: "src/services.ts", from: /GREETINGS = .*/, to: 'GREETINGS = ["Ahoy"];', answers: /^"Ahoy, Ada!"$/ },
  },
  { name: "saga", answers: /^{.*"message":"The hotel is fully booked".*}$/ },
  { name: "object", answers: /^2$/ },
  { name: "workflow", answers: /^{"invocationId":"inv_1\w{33}","status":"Accepted"}$/ },
  { name: "limits", answers: /^"sent to ada@example.com"$/ },
  {
    name: "python",
    answers: /^"[A-Z].*, Ada!"$/,
    edit: { file: "services.py", from: /GREETINGS = .*/, to: 'GREETINGS = ["Ahoy"]', answers: /^"Ahoy, Ada!"$/ },
  },
  { name: "go", answers: /^"[A-Z].*, Ada!"$/ },
  { name: "java", answers: /^"[A-Z].*, Ada!"$/ },
];

/** Makes one script for each terminal from the indented lines of the output; a user pastes these lines. */
function terminalsOf(printed) {
  return printed
    .split(/^(?! {2})/m)
    .map((part) => part.split("\n").filter((line) => line.startsWith("  ")))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.trim()).join("\n"));
}

function firstCall(readme) {
  return readme.split("\n").find((line) => line.startsWith("curl "));
}

/** Runs the script in its own process group, as a terminal does. */
function openTerminal(script, cwd, env) {
  const child = spawn("sh", ["-ec", script], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const terminal = { child, output: "", end: once(child, "close") };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (terminal.output += text));
  }
  return terminal;
}

async function close({ child, end }) {
  for (const [signal, withinMs] of [
    ["SIGINT", 10_000],
    ["SIGKILL", 10_000],
  ]) {
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
    if ((await Promise.race([end, sleep(withinMs, "late", { ref: false })])) !== "late") return;
  }
}

/** Repeats the call until its answer is the expected one. @returns the last answer */
async function answerTo(call, expected, cwd, terminals) {
  const deadlineMs = Date.now() + ANSWERED_WITHIN_MS;
  let answer = "";
  while (Date.now() < deadlineMs && terminals.every(({ child }) => child.exitCode === null)) {
    // The README's curl has no `--silent`, so only its stdout counts. While no server listens yet, it fails.
    const { stdout, status } = spawnSync("sh", ["-c", call], { cwd, encoding: "utf8", timeout: 180_000 });
    answer = stdout.trim();
    if (status === 0 && expected.test(answer)) return answer;
    await sleep(POLL_EVERY_MS);
  }
  const outputs = terminals.map(({ output }) => output.slice(-2000)).join("\n");
  throw new Error(`${call} answered ${answer}; expected ${expected}\n${outputs}`);
}

async function verifyTemplate({ name, answers, edit }, app, env, verify) {
  const command = join(app, "node_modules/.bin/stepwell");
  const written = spawnSync(command, ["example", name], { cwd: app, env, encoding: "utf8" });
  if (written.status !== 0) throw new Error(`stepwell example ${name} failed: ${written.stderr}`);
  const project = join(app, name);
  const [serve, control, tests] = terminalsOf(written.stdout);
  verify(`${name}: the control plane starts by npx`, control.startsWith("npx stepwell dev "), control);
  const call = firstCall(readFileSync(join(project, "README.md"), "utf8"));
  const startedMs = performance.now();
  const terminals = [openTerminal(serve, app, env), openTerminal(control, project, env)];
  try {
    const answer = await answerTo(call, answers, project, terminals);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    verify(`${name}: ${call}  ->  ${answer} after ${seconds} s`, call.includes(INGRESS));
    const ran = spawnSync("sh", ["-c", tests], { cwd: project, env, encoding: "utf8", timeout: ANSWERED_WITHIN_MS });
    verify(`${name}: ${tests} passes`, ran.status === 0, `${ran.stdout}${ran.stderr}`);
    if (edit === undefined) return;
    const file = join(project, edit.file);
    writeFileSync(file, readFileSync(file, "utf8").replace(edit.from, edit.to));
    verify(`${name}: an edit is served: ${await answerTo(call, edit.answers, project, terminals)}`, true);
  } finally {
    await Promise.all(terminals.map(close));
  }
}

/**
 * @param place the tarball, a temporary folder and npm's cache
 * @param verify records whether a check holds
 * @returns the number of templates that were skipped, each named with the reason
 */
export async function verifyTemplates({ tarball, temporary, cache }, verify) {
  const env = { ...process.env, npm_config_cache: cache, npm_config_ignore_scripts: "true", PIP_QUIET: "1" };
  const app = join(temporary, "app");
  mkdirSync(app);
  const installed = spawnSync("npm", ["install", "--no-audit", "--no-fund", tarball], { cwd: app, env });
  verify("npm install <tarball> in an empty folder", installed.status === 0, String(installed.stderr));
  let skipped = 0;
  for (const template of TEMPLATES) {
    const { needs = [], environment = {} } = SDKS.find(({ name }) => name === template.name) ?? {};
    const { missing } = toolsOf(needs);
    if (missing !== undefined) {
      console.log(`skipped ${template.name}: ${missing}`);
      skipped += 1;
      continue;
    }
    await verifyTemplate(template, app, { ...env, ...environment }, verify).catch((error) =>
      verify(template.name, false, error.message),
    );
  }
  return skipped;
}
