/**
 * The attacker's process: `attacker.ts <attack> <fixtures>` sends its address to its parent, strikes on the parent's order, and reports
 * the result. It has the token of the admin API: an attack may be that of an operator's own deployment, and it reads the results there.
 */
import { knowAdminAt } from "../harness/local/admin-access.ts";
import { ATTACKS } from "./all-attacks.ts";
import type { Deed, Site } from "./attack.ts";
import { startAttackerServer } from "./attacker-server.ts";
import { POISON } from "./poison.ts";
import { registrationOf, requestServer, socketServer } from "./transports.ts";

const attack = [...ATTACKS, POISON].find(({ name }) => name === process.argv[2])!;
const transport = { kind: attack.transport ?? "h2 in the clear", fixtures: process.argv[3]! } as const;
const server = await startAttackerServer(attack, transport);
const registration = registrationOf(transport.kind, server.port);

async function strike(site: Site): Promise<Deed> {
  knowAdminAt(site.adminUri, site.dataDir);
  const { attemptsAtMs } = server;
  const servers = {
    replaceServer: server.replace,
    requestServer: requestServer.bind(undefined, transport),
    socketServer: socketServer.bind(undefined, transport),
  };
  try {
    const scene = { ...site, deploymentUri: registration.uri, attemptsAtMs, ...servers };
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
process.send!({ registration });
