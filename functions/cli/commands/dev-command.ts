/** The command line of `stepwell dev`. */
import { Command, Option } from "commander";
import { codedFailure, CommandFailure, failureText, EXIT_NO_SERVER, EXIT_USAGE } from "../text/command-failure.ts";
import { deploymentAddress } from "./deployment-address.ts";

/** The options of the local process; flags stay unparsed texts, because the settings parse them. */
export interface DevInvocation {
  readonly configFile?: string;
  /** Keyed by the name of the setting, or by the name of a flag of restate-server. */
  readonly flags: Readonly<Record<string, string>>;
  readonly register: readonly string[];
  /** Whether the process looks for deployments at the usual ports of this machine. */
  readonly find: boolean;
  readonly useHttp11: boolean;
  readonly watch: boolean;
  /** Present if the process prints the effective configuration and does not start. */
  readonly dumpConfig?: true;
}

/** The reason of a refused start, in the words of the error table. */
export interface RefusedStart {
  readonly code: string;
  /** `[CODE] Title: detail`. */
  readonly message: string;
}

/** Resolves with the exit code, or with the reason of a refused start. */
export type DevRun = (options: DevInvocation) => Promise<number | RefusedStart>;

interface DevFlags {
  readonly ingressPort?: string;
  readonly adminPort?: string;
  readonly host?: string | true;
  readonly dataDir?: string;
  readonly adminAuth?: string;
  readonly configFile?: string;
  /** False after `--no-register`. */
  readonly register: readonly string[] | false;
  readonly watch: boolean;
  readonly json?: true;
  readonly dumpConfig?: true;
}

const EVERY_ADDRESS = "0.0.0.0";
/** The ports of `functions/local/find-deployments.ts`, for the help. */
const USUAL_PORTS = "port 9080, 3000 or 8000 of this machine";

export function devCommand(run: DevRun, exitWith: (code: number) => void): Command {
  const command = new Command("dev")
    .description("Run the whole control plane in one process, with its data in a local directory.")
    .option("--ingress-port <port>", "port on which handlers are called (default: 8080)")
    .option("--admin-port <port>", "port of the admin API (default: 9070)")
    .option("--host [address]", `accept connections from other machines, on ${EVERY_ADDRESS} or the given address`)
    .option("--data-dir <directory>", "directory of the two stores (default: ./.stepwell)")
    .option(
      "--admin-auth <mode>",
      "token, or off: the admin API then answers every user of this machine (default: token)",
    )
    .option(
      "--register <address>",
      `register the deployment at http://host:port, host:port or a port of this machine once it answers, and again when its handlers change; repeatable; without this option, those that answer at ${USUAL_PORTS}`,
      collect,
      [],
    )
    .option("--no-register", `register no deployment, and do not look for one at ${USUAL_PORTS}`)
    .option("--no-watch", "do not register deployments again when their handlers change")
    .option("--use-http1.1", "speak HTTP/1.1 to the deployments given with --register")
    .option("--config-file <toml>", "read settings from this file")
    .option("--dump-config", "print the effective configuration as TOML, with credentials masked, and exit")
    .option("--json", "write the log as JSON lines, and the reason of a refused start as JSON")
    .allowExcessArguments(false)
    .addHelpText(
      "after",
      "\nEvery setting can also be given as STEPWELL_<SECTION>__<KEY>, for instance STEPWELL_INGRESS__PORT.\nFlags of restate-server are read too: docs/configuration.md lists what each of them means here.",
    )
    .action(async (_flags: DevFlags, command: Command) => {
      const flags = command.optsWithGlobals<DevFlags>();
      const ended = await run(invocationOf(flags));
      if (typeof ended === "number") return exitWith(ended);
      // A thrown failure would only set the exit code, and open handles of the failed start would keep the process alive.
      console.error(failureText(codedFailure(ended.code, ended.message, EXIT_NO_SERVER), flags.json === true));
      exitWith(EXIT_NO_SERVER);
    });
  for (const option of referenceOptions()) command.addOption(option);
  return command;
}

/** Option parser: adds one value of `--register` to the earlier ones; `--no-register` discards the values before it. */
function collect(value: string, before: readonly string[] | false): readonly string[] {
  return [...(before === false ? [] : before), value];
}

function invocationOf(given: DevFlags): DevInvocation {
  const host = given.host === true ? EVERY_ADDRESS : given.host;
  return {
    ...(given.configFile === undefined ? {} : { configFile: given.configFile }),
    flags: {
      ...(given.ingressPort === undefined ? {} : { "ingress.port": given.ingressPort }),
      ...(given.adminPort === undefined ? {} : { "admin.port": given.adminPort }),
      ...(host === undefined ? {} : { "ingress.bind": host, "admin.bind": host }),
      ...(given.dataDir === undefined ? {} : { "data-dir": given.dataDir }),
      ...(given.adminAuth === undefined ? {} : { "admin.auth": given.adminAuth }),
      ...(given.json === undefined ? {} : { "log.format": "json" }),
      ...referenceFlags(given),
    },
    register: given.register === false ? [] : given.register.map(registeredAt),
    find: given.register !== false && given.register.length === 0,
    useHttp11: useHttp11(given),
    watch: given.watch,
    ...(given.dumpConfig === undefined ? {} : { dumpConfig: given.dumpConfig }),
  };
}

/** @throws CommandFailure if the text is no address over HTTP */
function registeredAt(written: string): string {
  const address = deploymentAddress(written);
  if ("uri" in address) return withoutSecrets(address.uri);
  throw new CommandFailure(`'${written}' is a function, and --register watches addresses over HTTP`, {
    exitCode: EXIT_USAGE,
    fix: "Register the function with `stepwell deployments register` once the control plane runs.",
  });
}

/** Refuses an address with secrets. The message repeats no part of the address, because it may contain a password. */
function withoutSecrets(uri: string): string {
  const { username, password, hash } = new URL(uri);
  if (username + password + hash === "") return uri;
  throw new CommandFailure("An address of --register has a user, a password or a fragment", {
    exitCode: EXIT_USAGE,
    fix: "Leave it out. `stepwell deployments register` accepts credentials as --header.",
  });
}

/** The parser derives the name `useHttp1.1` from the flag and keeps the dot. */
function useHttp11(given: object): boolean {
  return "useHttp1.1" in given && given["useHttp1.1"] === true;
}

/**
 * The flags with which the reference's documentation, its packages and the containers of its SDKs start one server. Every other
 * setting of the reference is read from the file and the environment. Some of these flags have no equivalent in Stepwell: for
 * such a flag, a warning at the start says what to use instead.
 */
export const REFERENCE_FLAGS: readonly string[] = [
  "base-dir",
  "bind-address",
  "bind-ip",
  "bind-port",
  "listen-mode",
  "use-random-ports",
  "node-name",
  "cluster-name",
  "tracing-endpoint",
  "log-filter",
  "log-format",
];

/** Hidden from the help, which shows only Stepwell's own flags. */
function referenceOptions(): readonly Option[] {
  return REFERENCE_FLAGS.map((name) => new Option(`--${name} <value>`).hideHelp());
}

/** The given flags, keyed by their names. */
function referenceFlags(given: object): Readonly<Record<string, string>> {
  const options = given as Readonly<Record<string, string | undefined>>;
  const named = REFERENCE_FLAGS.map((name) => [name, options[attributeOf(name)]] as const);
  return Object.fromEntries(named.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** The parser's name of a flag: `baseDir` for `base-dir`. */
function attributeOf(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
