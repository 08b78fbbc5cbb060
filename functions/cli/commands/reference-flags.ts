/** The flags of restate-server, which `stepwell dev` reads under the same names; the settings decide what they mean here. */
import { Option } from "commander";

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
export function referenceOptions(): readonly Option[] {
  return REFERENCE_FLAGS.map((name) => new Option(`--${name} <value>`).hideHelp());
}

/** The given flags, keyed by their names. */
export function referenceFlags(given: object): Readonly<Record<string, string>> {
  const options = given as Readonly<Record<string, string | undefined>>;
  const named = REFERENCE_FLAGS.map((name) => [name, options[attributeOf(name)]] as const);
  return Object.fromEntries(named.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

/** The parser's name of a flag: `baseDir` for `base-dir`. */
function attributeOf(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
