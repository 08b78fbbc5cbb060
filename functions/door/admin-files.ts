/**
 * The files in the data directory through which the commands of the same user find the local admin API: its token, and the address
 * to which this token may be sent.
 */
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { newSecret } from "./secrets.ts";
import { constants, type Stats } from "node:fs";

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

/** Reads a small file of a directory that other users may be able to write, and says whether it is this user's own. */
interface OpenedFile {
  /** Without spaces around it, and cut to 4 KiB. */
  readonly text: string;
  readonly owner: number;
  /** Whether the file is this user's own, and users outside of its group could neither read nor write it. */
  readonly isSecret: boolean;
}

/** The superuser reads the files of every user. */
const SUPERUSER = 0;
const OTHERS = 0o007;
const TEXT_MAX_BYTES = 4_096;
/** Follows no link, and does not wait for the writer of a pipe. Windows has neither flag. */
const CAREFULLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Examines the file that it reads: the name may lead to another file a moment later.
 * @param mode the mode that the file gets, if it is this user's own
 * @returns `foreign` for a file of another user, for what is no file, and for a file that cannot be read
 */
async function openedFile(path: string, mode?: number): Promise<OpenedFile | "absent" | "foreign"> {
  const file = await open(path, CAREFULLY).catch(({ code }: NodeJS.ErrnoException) => code);
  if (typeof file !== "object") return file === "ENOENT" ? "absent" : "foreign";
  try {
    return await contentOf(file, await file.stat(), mode);
  } catch {
    return "foreign";
  } finally {
    await file.close();
  }
}

async function contentOf(file: FileHandle, stat: Stats, mode: number | undefined): Promise<OpenedFile | "foreign"> {
  const user = process.getuid?.() ?? stat.uid;
  const isOwn = stat.uid === user;
  if (!stat.isFile() || (!isOwn && user !== SUPERUSER)) return "foreign";
  if (isOwn && mode !== undefined) await file.chmod(mode);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_MAX_BYTES), 0, TEXT_MAX_BYTES, 0);
  const isHidden = (stat.mode & OTHERS) === 0 || process.platform === "win32";
  return { text: buffer.toString("utf8", 0, bytesRead).trim(), owner: stat.uid, isSecret: isOwn && isHidden };
}
