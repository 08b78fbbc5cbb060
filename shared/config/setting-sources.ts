/** Lists the raw settings of each place: the configuration file, the environment and the flags. */
import { ALIAS_NAMES, referenceVariableOf, variableOf } from "./setting-names.ts";
import { SETTING_PATHS } from "./settings-table.ts";
import { readTomlSettings } from "./toml-settings.ts";

export interface SettingsSources {
  /** Defaults in the form of a configuration file, such as those of the image. */
  readonly defaults?: { readonly path: string; readonly text: string };
  readonly file?: { readonly path: string; readonly text: string };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Keyed by the name of a setting, or by a name that the reference server has for it. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

/** A raw value and its origin, as text. */
export interface Given {
  readonly raw: unknown;
  readonly origin: string;
}

export interface Named extends Given {
  /** The key in the table's spelling. */
  readonly name: string;
  /** The key as the user wrote it. */
  readonly written: string;
  /** True for a variable in the reference's form, which loses to one in Stepwell's form. */
  readonly isReferences?: true;
  /** True for a variable that may belong to another program than the server. */
  readonly mayBeOthers?: true;
}

const OWN_PREFIX = "STEPWELL_";
const REFERENCE_PREFIX = "RESTATE_";
const NAMES: readonly string[] = [...SETTING_PATHS, ...ALIAS_NAMES];
const NAME_OF_VARIABLE: ReadonlyMap<string, string> = new Map(
  [variableOf, referenceVariableOf].flatMap((form) => NAMES.map((name) => [form(name), name] as const)),
);

/**
 * Variables that the reference's server does not read as settings either: those of its command line and its SDKs, the path of
 * its configuration file, and those that Kubernetes sets for a service with the name `restate`.
 */
const NO_SETTING =
  /^RESTATE_(?:ADMIN_URL|INGRESS_URL|HOST|HOST_SCHEME|AUTH_TOKEN|ENVIRONMENT|EDITOR|LOGGING|CONFIG|CONFIG_HOME|(?:CLI|CLOUD)_.*|VERSION|SERVICE_(?:HOST|PORT)(?:_.*)?|PORT|PORT_\d.*)$/;

/**
 * Variables that name no setting. Two contain the addresses of the server to which the commands of the command line connect
 * (`functions/cli/http/session.ts`); two contain paths of files that this process reads (`settings-source.ts`) and writes
 * (`functions/local/dev.ts`).
 */
const NO_OWN_SETTING: ReadonlySet<string> = new Set([
  "STEPWELL_ADMIN_URL",
  "STEPWELL_INGRESS_URL",
  "STEPWELL_DEFAULTS_FILE",
  "STEPWELL_ADMIN_URL_FILE",
  "STEPWELL_AUTH_TOKEN",
]);

/** The flags of `stepwell dev` (`functions/cli/commands/dev-command.ts`) whose names differ from those of their settings. */
const FLAGS: Partial<Readonly<Record<string, string>>> = {
  "ingress.port": "--ingress-port",
  "admin.port": "--admin-port",
  "ingress.bind": "--host",
  "admin.bind": "--host",
  "admin.auth": "--admin-auth",
  "log.format": "--json",
};

export function fileSettings(file: SettingsSources["file"]): readonly Named[] {
  if (file === undefined) return [];
  return readTomlSettings(file.path, file.text).map(({ key, raw, line }) => ({
    name: key,
    written: key,
    raw,
    origin: `${file.path}${line === undefined ? "" : `, line ${line}`}: ${key}`,
  }));
}

export function variables(environment: SettingsSources["environment"]): readonly Named[] {
  return Object.entries(environment).flatMap(([variable, raw]): readonly Named[] => {
    const isReferences = variable.startsWith(REFERENCE_PREFIX);
    if (raw === undefined || NO_SETTING.test(variable) || NO_OWN_SETTING.has(variable)) return [];
    if (!isReferences && !variable.startsWith(OWN_PREFIX)) return [];
    const name = NAME_OF_VARIABLE.get(variable) ?? nameIn(variable);
    const named = { name, written: variable, raw, origin: `the environment variable ${variable}` };
    // A name without a section, such as that of a token, may belong to a client of the server.
    return [{ ...named, ...(isReferences && { isReferences, ...(!name.includes(".") && { mayBeOthers: true }) }) }];
  });
}

/** The dotted key of an unknown variable. */
function nameIn(variable: string): string {
  const key = variable.slice(variable.indexOf("_") + 1).toLowerCase();
  return key.replaceAll("__", ".").replaceAll("_", "-");
}

export function flags(given: SettingsSources["flags"]): readonly Named[] {
  return Object.entries(given)
    .filter(([, raw]) => raw !== undefined)
    .map(([name, raw]) => ({ name, written: name, raw, origin: `the flag ${FLAGS[name] ?? `--${name}`}` }));
}

/** The known names in the form of `written`: variables with the same prefix if `written` is a variable, else keys. */
export function namesLike(written: string): readonly string[] {
  const prefix = [OWN_PREFIX, REFERENCE_PREFIX].find((one) => written.startsWith(one));
  return prefix === undefined ? NAMES : [...NAME_OF_VARIABLE.keys()].filter((name) => name.startsWith(prefix));
}
