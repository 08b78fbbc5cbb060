/** Starts a DynamoDB engine on a free port of the loopback, runs the table's tests on it, and stops it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "../..");
const ENGINE = join(HERE, "node_modules/@dynoxide/linux-x64/dynoxide");
const START_TRIES = 100;

/** Runs a command in sight of the reader and ends this program with its code where it fails. */
function mustRun(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) {
    console.error(`${command} ${args.join(" ")} failed`);
    process.exit(status ?? 1);
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves when somebody accepts connections on the port, or fails when the engine ends first or never does. */
async function listening(port, engine) {
  for (let tries = 0; tries < START_TRIES; tries++) {
    if (engine.exitCode !== null) throw new Error(`the engine ended with code ${engine.exitCode}`);
    const socket = createConnection(port, "127.0.0.1");
    const isUp = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the engine does not listen on port ${port}`);
}

if (process.platform !== "linux" || process.arch !== "x64") {
  console.error("the engine exists for Linux on x64 only");
  process.exit(1);
}
if (!existsSync(ENGINE)) mustRun("npm", ["ci"], HERE);

const port = await freePort();
const engine = spawn(ENGINE, ["--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
process.once("exit", () => engine.kill());
await listening(port, engine);
const endpoint = `http://127.0.0.1:${port}`;
console.log(`dynoxide 1.2.1 listens on ${endpoint}; running test/dynamodb`);

const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
const args = [vitest, "run", "--config", join(HERE, "vitest.config.ts"), ...process.argv.slice(2)];
const tests = spawn(process.execPath, args, {
  cwd: ROOT,
  stdio: "inherit",
  env: { ...process.env, STEPWELL_TEST_DYNAMODB_ENDPOINT: endpoint },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
const [code] = await once(tests, "exit");
engine.kill();
console.log(`test/dynamodb on ${endpoint} ended with code ${code ?? 1}`);
process.exit(code ?? 1);
