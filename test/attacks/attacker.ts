/** The attacker's process: `attacker.ts <attack>` sends its port to its parent, strikes on the parent's order, and reports the result. */
import { ATTACKS } from "./all-attacks.ts";
import type { Deed, Site } from "./attack.ts";
import { startAttackerServer } from "./attacker-server.ts";
import { POISON } from "./poison.ts";

const attack = [...ATTACKS, POISON].find(({ name }) => name === process.argv[2])!;
const server = await startAttackerServer(attack);

async function strike(site: Site): Promise<Deed> {
  const { port, attemptsAtMs } = server;
  const replaceServer = server.replace;
  try {
    const scene = { ...site, deploymentUri: `http://127.0.0.1:${port}`, attemptsAtMs, replaceServer };
    const deed = await attack.strike(scene);
    return { ...deed, notes: { ...deed.notes, attempts: attemptsAtMs.length } };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
    return { accepted: [], complaints: [`the strike broke off: ${why}`] };
  }
}

process.on("message", (site: Site) => void strike(site).then((deed) => process.send!(deed)));
process.once("disconnect", () => process.exit());
process.send!({ port: server.port });
