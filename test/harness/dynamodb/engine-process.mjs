/** Starts a DynamoDB engine on a free loopback port. It is installed if missing, and stopped when this process exits. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { freePort } from "../../../localstack/emulator.mjs";

export const ENGINE_NAME = "dynoxide 1.2.1";
const START_TRIES = 600;

/**
 * @param here the folder `test/dynamodb`, whose packages contain the engine
 * @returns the engine's address, and a function that ends it
 * @throws Error if the engine does not start
 */
export async function startEngine(here) {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("the engine exists for Linux on x64 only");
  const path = join(here, "node_modules/@dynoxide/linux-x64/dynoxide");
  if (!existsSync(path)) install(here);
  const port = await freePort();
  const engine = spawn(path, ["--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
  process.once("exit", () => engine.kill());
  await listening(port, engine);
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => engine.kill() };
}

/** Inherits the output, so that the user sees the installation. */
function install(here) {
  const { status } = spawnSync("npm", ["ci"], { cwd: here, stdio: "inherit" });
  if (status !== 0) throw new Error("npm ci failed in test/dynamodb");
}

/** Resolves when the port accepts connections; rejects when the engine ends first or does not listen in time. */
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
