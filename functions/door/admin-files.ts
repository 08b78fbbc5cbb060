/**
 * The files in the data directory through which the commands of the same user find the local admin API: its token, and the address
 * to which this token may be sent.
 */
import { chmod, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
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

/**
 * Keeps the token of an earlier start. The directory exists.
 * @param given the token of the settings, if they have one
 * @throws Error of the file system
 */
export async function keepToken(dataDir: string, given: string | undefined): Promise<string> {
  const path = join(dataDir, TOKEN_FILE);
  const kept = await textAt(path);
  const token = given ?? (kept !== undefined && isToken(kept) ? kept : newSecret());
  if (token === kept) await chmod(path, OWNER_ONLY);
  else await writeWhole(path, `${token}\n`);
  return token;
}

/** @throws Error of the file system */
export async function noteAddress(dataDir: string, url: string): Promise<void> {
  await writeWhole(join(dataDir, ADDRESS_FILE), url);
}

/** After that, no command sends the token to the process that takes the port next. */
export async function forgetAddress(dataDir: string): Promise<void> {
  await rm(join(dataDir, ADDRESS_FILE), { force: true }).catch(() => undefined);
}

/** @returns undefined if no process has noted its address there, or another user's files are there */
export async function readAdminFiles(dataDir: string): Promise<AdminFiles | undefined> {
  const [url, token] = await Promise.all([textAt(join(dataDir, ADDRESS_FILE)), textAt(join(dataDir, TOKEN_FILE))]);
  if (url === undefined || token === undefined || !URL.canParse(url) || !isToken(token)) return undefined;
  return { url, token };
}

async function textAt(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
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
