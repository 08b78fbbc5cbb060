/** `stepwell proxy`: a local port for tools that cannot sign their requests. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Command, InvalidArgumentError } from "commander";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_REFUSED, EXIT_USAGE } from "./exit-codes.ts";
import { openTerminal } from "./terminal.ts";

/** The region is the part of the host between `execute-api` and AWS's own domain. */
const GATEWAY_HOST = /\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;
const PORT_MAX = 65_535;

interface ProxyFlags {
  readonly to: URL;
  readonly port: number;
  readonly region?: string;
  readonly service: string;
}

export function proxyCommand(): Command {
  return new Command("proxy")
    .description("Open a local port that signs requests with your AWS credentials and forwards them.")
    .requiredOption("--to <url>", "the API behind IAM, for instance the admin API of the stack", url)
    .option("--port <port>", "the local port; 0 takes a free one", port, 9070)
    .option("--region <region>", "region of the API (default: the region in its address, or AWS_REGION)")
    .option("--service <name>", "the AWS service to sign for", "execute-api")
    .action((flags: ProxyFlags) => proxy(flags));
}

function url(written: string): URL {
  if (!/^https?:\/\//.test(written) || !URL.canParse(written)) {
    throw new InvalidArgumentError("Write an address that begins with http:// or https://.");
  }
  const to = new URL(written);
  // `fetch` refuses an address with a user or a password, and its error message would show the password in the output.
  [to.username, to.password] = ["", ""];
  return to;
}

function port(written: string): number {
  const number = Number(written);
  if (!/^\d+$/.test(written) || number > PORT_MAX) throw new InvalidArgumentError("Write a port from 0 to 65535.");
  return number;
}

/** Runs until a signal ends it. */
async function proxy(flags: ProxyFlags): Promise<void> {
  const terminal = openTerminal();
  // The signer and the credential provider are half of the CLI's load time, and only this command uses them.
  const { signingProxy } = await import("./signing-proxy.ts");
  const region = flags.region ?? GATEWAY_HOST.exec(flags.to.hostname)?.[1] ?? process.env["AWS_REGION"];
  if (region === undefined) {
    throw new CommandFailure("The region of the API is not known", {
      exitCode: EXIT_USAGE,
      fix: "Pass --region, or set AWS_REGION.",
    });
  }
  const server = signingProxy({ target: flags.to, region, service: flags.service, onAnswer: terminal.tell });
  server.listen(flags.port, "127.0.0.1");
  await once(server, "listening").catch((cause: unknown) => {
    throw new CommandFailure(`Port ${flags.port} cannot be used`, {
      exitCode: EXIT_REFUSED,
      cause: cause instanceof Error ? cause.message : String(cause),
      fix: "Choose another one with --port; 0 takes a free one.",
    });
  });
  // Registered before the line is printed: the reader of the line may send a signal at once.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => server.close());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => server.closeAllConnections());
  terminal.print(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ signs for ${flags.to.href} in ${region}`);
  await once(server, "close");
}
