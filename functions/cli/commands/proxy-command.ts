/** `stepwell proxy`: a local port for tools that cannot sign their requests. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Command, InvalidArgumentError } from "commander";
import { isToken } from "../../door/admin-files.ts";
import { newSecret } from "../../door/secrets.ts";
import { CommandFailure, EXIT_REFUSED, EXIT_USAGE } from "../text/command-failure.ts";
import { openTerminal } from "../text/terminal.ts";

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

/** @throws CommandFailure for a text that is too short, or that no header can carry */
function tokenOfEnvironment(): string | undefined {
  const given = process.env["STEPWELL_AUTH_TOKEN"] ?? "";
  if (given === "") return undefined;
  if (isToken(given)) return given;
  throw new CommandFailure("STEPWELL_AUTH_TOKEN cannot be the token of the proxy", {
    exitCode: EXIT_USAGE,
    fix: "Set 32 to 512 letters, digits or characters of -._~+/=, or leave it out: the proxy then makes a token.",
  });
}

/** How each kind of client sends the token. The address with the token suits every program that takes a user and a password. */
function clientsOf(bound: number, token: string): string {
  const address = `http://127.0.0.1:${bound}/`;
  const withToken = `http://proxy:${token}@127.0.0.1:${bound}/`;
  return [
    "Requests need its token. To use it in another terminal:",
    `  commands, admin API   export STEPWELL_ADMIN_URL=${address} STEPWELL_AUTH_TOKEN=${token}`,
    `  commands, ingress     export STEPWELL_INGRESS_URL=${withToken}`,
    "  web UI                stepwell ui, with the first of these lines",
    `  other programs        authorization: Bearer ${token}`,
    "A token of your own: set STEPWELL_AUTH_TOKEN before you start the proxy.",
  ].join("\n");
}

/** Runs until a signal ends it. */
async function proxy(flags: ProxyFlags): Promise<void> {
  const terminal = openTerminal();
  // The signer and the credential provider are half of the CLI's load time, and only this command uses them.
  const { signingProxy } = await import("../http/signing-proxy.ts");
  const region = flags.region ?? GATEWAY_HOST.exec(flags.to.hostname)?.[1] ?? process.env["AWS_REGION"];
  if (region === undefined) {
    throw new CommandFailure("The region of the API is not known", {
      exitCode: EXIT_USAGE,
      fix: "Pass --region, or set AWS_REGION.",
    });
  }
  const given = tokenOfEnvironment();
  const token = given ?? newSecret();
  const server = signingProxy({ target: flags.to, region, service: flags.service, token, onAnswer: terminal.tell });
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
  const { port: bound } = server.address() as AddressInfo;
  terminal.print(`http://127.0.0.1:${bound}/ signs for ${flags.to.href} in ${region}`);
  terminal.tell(given === undefined ? clientsOf(bound, token) : "Its token is that of STEPWELL_AUTH_TOKEN.");
  await once(server, "close");
}
