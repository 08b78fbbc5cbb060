/** Starts while two of the ports are taken: the command says so before it builds, and the line that it prints works. */
import { once } from "node:events";
import { rmSync, existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { close, endOf, openTerminal, paste, printedLine, verifyStop } from "./terminal.mjs";

const TAKEN = [8080, 9080];

async function taking(port) {
  const server = createServer();
  await once(server.listen(port), "listening");
  return server;
}

export async function verifyTakenPorts({ clone, cache, temporary }, verify) {
  const built = join(clone, "dist");
  rmSync(built, { recursive: true });
  const servers = await Promise.all(TAKEN.map(taking));
  try {
    const help = openTerminal("npm start -- --help", { clone, cache });
    verify("npm start -- --help ends with 0", (await endOf(help))[0] === 0 && /--ingress-port/.test(help.output));
    const refused = openTerminal("npm start", { clone, cache });
    const instead = await printedLine(refused, "npm start -- ");
    verify(
      "npm start names every taken port",
      TAKEN.every((port) => refused.output.includes(`Port ${port}, `)),
    );
    verify("and ends with 1", (await endOf(refused))[0] === 1);
    verify("before it builds", !existsSync(built));

    const started = openTerminal(instead, { clone, cache });
    try {
      const call = await printedLine(started, "curl ");
      const { body, status } = paste(call, temporary);
      verify(`${instead}: ${call}  ->  ${body}`, status === 200 && body.endsWith(', Ada!"'));
      await verifyStop(started, [], verify);
    } finally {
      await close(started);
    }
  } finally {
    for (const server of servers) server.close();
  }
}
