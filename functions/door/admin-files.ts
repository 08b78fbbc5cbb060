/**
 * The files in the data directory through which the commands of the same user find the local admin API: its token, and the address
 * to which this token may be sent.
 */
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { openedFile } from "./opened-file.ts";
import { newSecret } from "./secrets.ts";

export const TOKEN_FILE = "admin-token";
const ADDRESS_FILE = "admin-url";

const OWNER_ONLY = 0o600;
/** A token that fits into the header `authorization` and is too long to be guessed. */
const TOKEN = /^[\w.~+/=-]{32,512}$/;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export interface AdminFiles {
  /** The address ends with a slash. */
  readonly url: string;
  readonly token: string;
}

export interface KeptToken {
  readonly token: string;
  /** Whether a file was there whose token others may know. */
  readonly isReplaced: boolean;
}

/**
 * Keeps the token of an earlier start, unless others could read its file or have put it there. The directory exists.
 * @param given the token of the settings, if they have one
 * @throws Error of the file system
 */
export async function keepToken(dataDir: string, given: string | undefined): Promise<KeptToken> {
  const path = join(dataDir, TOKEN_FILE);
  const found = await openedFile(path, OWNER_ONLY);
  const isSecret = found !== "absent" && found !== "foreign" && found.isSecret;
  const kept = isSecret && isToken(found.text) ? found.text : undefined;
  const token = given ?? kept ?? newSecret();
  if (token !== kept) await writeWhole(path, `${token}\n`);
  return { token, isReplaced: given === undefined && found !== "absent" && !isSecret };
}

/** @throws Error of the file system */
export async function noteAddress(dataDir: string, url: string): Promise<void> {
  await writeWhole(join(dataDir, ADDRESS_FILE), url);
}

/** After that, no command sends the token to the process that takes the port next. */
export async function forgetAddress(dataDir: string): Promise<void> {
  await rm(join(dataDir, ADDRESS_FILE), { force: true }).catch(() => undefined);
}

/** @returns undefined if no process has noted its address there, or another user has written a file */
export async function readAdminFiles(dataDir: string): Promise<AdminFiles | undefined> {
  const [address, secret] = await Promise.all([
    openedFile(join(dataDir, ADDRESS_FILE)),
    openedFile(join(dataDir, TOKEN_FILE)),
  ]);
  if (typeof address === "string" || typeof secret === "string" || address.owner !== secret.owner) return undefined;
  if (!URL.canParse(address.text) || !isToken(secret.text)) return undefined;
  return { url: address.text, token: secret.text };
}

/** A reader sees the former content or the whole new one. */
async function writeWhole(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  await rm(fresh, { force: true });
  const file = await open(fresh, "wx", OWNER_ONLY);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
}
