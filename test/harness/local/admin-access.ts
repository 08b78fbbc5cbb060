/**
 * The tokens of the local processes of a test. Every suite asks their admin APIs through `fetch` of this module or with `accessOf`,
 * as a client does that has the token.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SignInCodeBody } from "../../../shared/api/wire/door.ts";
import { TOKEN_FILE } from "../../../functions/door/admin-files.ts";

/** How the token of each admin API is found, by origin. */
const tokens = new Map<string, () => string | undefined>();

/** @param token undefined if the process wants none */
export function knowAdmin(adminUrl: string, token: string | undefined): void {
  const { origin } = new URL(adminUrl);
  tokens.set(origin, () => token);
}

/** For a process that writes its token to its data directory, now or when it starts. */
export function knowAdminAt(adminUrl: string, dataDir: string): void {
  tokens.set(new URL(adminUrl).origin, () => {
    const path = join(dataDir, TOKEN_FILE);
    return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
  });
}

/** @returns undefined for an address that is no admin API of this test */
export function tokenAt(url: string): string | undefined {
  return URL.canParse(url) ? tokens.get(new URL(url).origin)?.() : undefined;
}

/** The headers that a request to this address needs. */
export function accessOf(url: string): Readonly<Record<string, string>> {
  const token = tokenAt(url);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The address that signs one browser in, as `stepwell ui` opens it. */
export async function signInUrl(adminUrl: string): Promise<string> {
  const response = await fetch(new URL("-/sign-in-codes", adminUrl), { method: "POST" });
  if (!response.ok) throw new Error(`there is no code to sign in: ${response.status} ${await response.text()}`);
  const { code } = (await response.json()) as SignInCodeBody;
  return new URL(`-/sign-in?code=${code}`, adminUrl).href;
}

/** As the global function, with the token for admin APIs of this test. */
export const fetch: typeof globalThis.fetch = async (input, init = {}) => {
  const access = accessOf(input instanceof Request ? input.url : String(input));
  return await globalThis.fetch(input, {
    ...init,
    headers: { ...access, ...(init.headers as Record<string, string>) },
  });
};
