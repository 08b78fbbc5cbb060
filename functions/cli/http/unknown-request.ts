/** The failure for a request that the server does not know, with the versions of both sides if the server states its own. */
import packageJson from "../../../package.json" with { type: "json" };
import type { VersionBody } from "../../../shared/api/contract/server.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_REFUSED } from "../text/exit-codes.ts";
import { tokenHeaders } from "./admin-server.ts";
import type { AdminServer } from "./admin-server.ts";
import { exchange } from "./http-exchange.ts";

const PRODUCT = "stepwell";
const VERSION_WITHIN_MS = 5000;
const VERSION_MAX_BYTES = 64 * 1024;

/** @param cause the status and the request */
export async function unknownRequest(server: AdminServer, cause: string): Promise<CommandFailure> {
  const ours = packageJson.config.version;
  const theirs = await versionOf(server);
  const isOther = theirs !== undefined && theirs !== ours;
  return new CommandFailure(
    isOther
      ? `The server, version ${theirs}, does not know this request of the command, version ${ours}`
      : "The server does not know this request",
    {
      exitCode: EXIT_REFUSED,
      cause,
      fix: isOther
        ? `Use version ${theirs} of the command, or bring the server to version ${ours}.`
        : "Check that --admin-url is the address of an admin API.",
    },
  );
}

/** @returns the server's version; undefined if the server does not identify itself as Stepwell */
async function versionOf(server: AdminServer): Promise<string | undefined> {
  const asked = { method: "GET", path: "version", headers: { accept: "application/json", ...tokenHeaders(server) } };
  try {
    const { body } = await exchange(server, asked, { withinMs: VERSION_WITHIN_MS, answerMaxBytes: VERSION_MAX_BYTES });
    const { product, product_version: version } = JSON.parse(body.toString("utf8")) as Partial<VersionBody>;
    return product === PRODUCT && typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
