/** The signed calls of "The first call" in docs/operating/aws.md, run as the page shows them: by curl, and by an application. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Identity } from "./signed-by.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
/** The folder is inside the repository, so that the application finds its packages. */
const FOLDER = join(ROOT, ".cache/e2e-aws");
const REGION = "us-east-1";
const HANDLER = "/Greeter/greet";

/**
 * @param handler the path of a handler that takes a name
 * @returns the output of curl, which is the body of the answer
 */
export async function callByCurl(identity: Identity, url: string, handler: string): Promise<string> {
  const command = filled(blockOf("sh", "curl "), url, handler);
  const { stdout } = await run("bash", ["-c", `set -eu; ${command}`], { env: environmentOf(identity) });
  return stdout;
}

/** @returns the output of the application: the status and the body of the answer */
export async function callByApplication(identity: Identity, url: string, handler: string): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, "first-call.mjs");
  writeFileSync(file, filled(blockOf("js", "AwsClient"), url, handler));
  try {
    const { stdout } = await run(process.execPath, [file], { env: environmentOf(identity) });
    return stdout.trim();
  } finally {
    rmSync(file);
  }
}

function environmentOf({ accessKeyId, secretAccessKey, sessionToken = "" }: Identity): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  };
}

/** @returns the block of the page in this language that contains `word` */
function blockOf(language: string, word: string): string {
  const page = readFileSync(join(ROOT, "docs/operating/aws.md"), "utf8");
  const section = /^### The first call$.*?^###/ms.exec(page)?.[0] ?? "";
  const blocks = section.split("```").filter((block) => block.startsWith(`${language}\n`) && block.includes(word));
  if (blocks.length !== 1) throw new Error(`the first call on docs/operating/aws.md has ${blocks.length} such blocks`);
  return blocks[0]!.slice(language.length).replaceAll(/^ {3}/gm, "").trim();
}

function filled(text: string, url: string, handler: string): string {
  return text.replaceAll("<IngressUrl>", url).replaceAll(HANDLER, handler).replaceAll("<region>", REGION);
}
