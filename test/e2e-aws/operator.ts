/** An operator at a terminal: the built command, and `stepwell proxy`, which signs its requests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { newSecret } from "../../functions/door/secrets.ts";
import { buildCommand } from "../harness/cli/built-command.ts";
import { knowAdmin } from "../harness/local/admin-access.ts";
import { aws, type DeployedStack } from "./control-plane.ts";

export interface Operator {
  /** The local URL of the proxy, with a slash at the end. */
  readonly url: string;
  /**
   * Runs one command.
   * @returns its output
   * @throws Error if the command fails
   */
  run(...args: readonly string[]): Promise<string>;
  /** Ends the proxy and removes the command. */
  close(): Promise<void>;
}

/** Starts the proxy with the administrator's keys. */
export async function operatorOf({ admin, credentials }: DeployedStack): Promise<Operator> {
  const command = await buildCommand();
  const token = newSecret();
  // A path, because not every machine resolves names below `localhost`.
  const adminUrl = `${aws.endpoint}/_aws/execute-api/${admin.host.split(".", 1)[0]}/$default`;
  const args = [command.path, "proxy", "--to", adminUrl, "--port", "0", "--region", "us-east-1"];
  const env = {
    PATH: process.env["PATH"],
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    STEPWELL_AUTH_TOKEN: token,
  };
  const proxy = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const close = async (): Promise<void> => {
    const ended = once(proxy, "exit");
    proxy.kill("SIGTERM");
    await ended;
    await command.remove();
  };
  const [line] = (await once(proxy.stdout.setEncoding("utf8"), "data")) as [string];
  const STEPWELL_ADMIN_URL = line.split(" ", 1)[0]!;
  knowAdmin(STEPWELL_ADMIN_URL, token);
  const run: Operator["run"] = async (...asked) => {
    const { code, stdout, stderr } = await command.run(asked, { env: { STEPWELL_ADMIN_URL } });
    if (code !== 0) throw new Error(`stepwell ${asked.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return { url: STEPWELL_ADMIN_URL, run, close };
}
