/** The admin API that a command speaks to: its address, and the token that it wants. */
import type { ServerAddress } from "./http-exchange.ts";

const OPTIONS = "--admin-url or STEPWELL_ADMIN_URL";

export interface AdminServer extends ServerAddress {
  readonly token?: string;
}

export interface AdminChoice {
  /** Ends with a slash. */
  readonly adminUrl: string;
  readonly dataDir?: string;
}

/**
 * A token of the environment goes to the address that the user names. The variable of the reference's command line comes last: it
 * may belong to another server.
 */
export async function adminServer(
  { adminUrl, dataDir }: AdminChoice,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AdminServer> {
  const server = { base: adminUrl, options: OPTIONS };
  const { STEPWELL_AUTH_TOKEN: own = "", RESTATE_AUTH_TOKEN: references = "" } = environment;
  if (new URL(adminUrl).password !== "") return server;
  if (own !== "") return { ...server, token: own };
  // Loaded on demand, because the table of settings would slow down the commands that have a token.
  const { localAdmin } = await import("./local-token.ts");
  const local = await localAdmin(adminUrl, dataDir);
  if (local !== undefined) return { ...server, base: local.url, token: local.token };
  return references === "" ? server : { ...server, token: references };
}

/** The headers with which every request to the server goes. */
export function tokenHeaders({ token }: AdminServer): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
