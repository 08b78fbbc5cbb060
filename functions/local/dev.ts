/** `stepwell dev`: reads the settings, starts the local process, registers deployments, and stops at a signal. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { serviceBody } from "../../shared/api/admin/services/service-body.ts";
import { curlParts, proposedCall } from "../../shared/api/wire/proposed-call.ts";
import { loadSettings } from "../../shared/config/settings.ts";
import type { SettingsSources } from "../../shared/config/setting-sources.ts";
import { settingsToml } from "../../shared/config/settings-toml.ts";
import type { Log, LogFields } from "../../shared/engine/ports/log.ts";
import type { RegisteredUp } from "../../shared/engine/register/register-when-up.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { settingsWarnings } from "../../shared/wiring/engine-settings-of.ts";
import { isStartRefusal, type StartRefusal } from "../../shared/wiring/start-refusals.ts";
import { TOKEN_FILE } from "../door/admin-files.ts";
import { ActivityLines, BoundedWarnings } from "./bounded-log.ts";
import { findDeployments, USUAL_PORTS } from "./find-deployments.ts";
import { type LocalProcess, startLocalProcess } from "./local-process.ts";
import { watchDeployment, type WatchedDeployment, type Watching } from "./watch-deployment.ts";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

export const EXIT_OK = 0;
const EXIT_FAILURE = 1;

/** At these levels, the log has lines about invocations that have ended. */
const TOLD_LEVELS: ReadonlySet<string> = new Set(["debug", "info"]);

/** Names a file that gets the address of the admin API, for the health check of the image. */
const ADMIN_URL_FILE_VARIABLE = "STEPWELL_ADMIN_URL_FILE";

interface DevOptions {
  readonly configFile?: string;
  /** Settings from flags, as unparsed texts. */
  readonly flags: SettingsSources["flags"];
  /** The deployments to register. */
  readonly register: readonly string[];
  /** Whether the process looks for deployments at the usual ports of this machine. */
  readonly find: boolean;
  readonly useHttp11: boolean;
  /** Whether changed deployments are registered again. */
  readonly watch: boolean;
  /** Present if the process prints the effective configuration and does not start. */
  readonly dumpConfig?: true;
}

/** Runs until a signal ends it. @returns the exit code, or the reason of a refused start */
export async function runDev(options: DevOptions): Promise<number | StartRefusal> {
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve()));
  const onSignal = (): void => {
    // A second signal ends the process without waiting.
    if (stopping.signal.aborted) process.exit(EXIT_FAILURE);
    stopping.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  try {
    const { settings, warnings } = loadSettings(options.configFile, options.flags);
    const whole = processLog(settings, (line) => void process.stderr.write(line));
    for (const reason of [...warnings, ...settingsWarnings(settings)]) whole.write("setting.not-applied", { reason });
    if (options.dumpConfig === true) {
      process.stdout.write(settingsToml(settings));
      return EXIT_OK;
    }
    warnOfUncheckedTls(whole, process.env);
    boundHeapGrowth();
    const log = new BoundedWarnings(whole);
    const activity = TOLD_LEVELS.has(settings["log.level"]) ? new ActivityLines(log) : undefined;
    const local = await startLocalProcess(settings, packageJson.config.version, log, activity);
    writeAdminUrl(local.adminUrl, log);
    logStart(local, log, settings["data-dir"]);
    const registrations = keepRegistered(local, options, log, stopping.signal);
    await stopped;
    log.write("process.stop-requested");
    await registrations;
    await local.stop();
    activity?.flush();
    log.flush();
    log.write("process.stopped");
    return EXIT_OK;
  } catch (error) {
    if (!isStartRefusal(error)) throw error;
    return error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
  }
}

/** Registers the deployments of the options, or those at the usual ports; ends when the signal aborts. */
async function keepRegistered(
  local: LocalProcess,
  { register, find, useHttp11, watch }: DevOptions,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { engine, ingressUrl, adminUrl } = local;
  let hasCall = false;
  const onRegistered = (deployment: RegisteredUp["deployment"]): void => {
    if (hasCall) return;
    const call = proposedCall(deployment.services.map((one) => serviceBody(one, deployment, engine.settings)));
    if (call !== undefined) log.write("handler.callable", { command: curlParts(call, ingressUrl).join(" ") });
    hasCall = call !== undefined;
  };
  const watched: Promise<void>[] = [];
  const begin = (deployment: WatchedDeployment, staysRemoved: Watching["staysRemoved"]): void =>
    void watched.push(watchDeployment(engine, deployment, { again: watch, staysRemoved, log, onRegistered }, signal));
  for (const uri of register) begin({ uri, useHttp11 }, "until-changed");
  const own = [ingressUrl, adminUrl].map((url) => Number(new URL(url).port));
  const ports = USUAL_PORTS.filter((port) => !own.includes(port));
  // No operator has asked for a deployment that the process finds itself. So after its removal, only an operator registers
  // it again.
  const onFound = (deployment: WatchedDeployment): void =>
    begin({ ...deployment, leavesOthers: true }, "until-registered");
  if (find) await findDeployments(engine, { ports, onFound, log }, signal);
  await Promise.all(watched);
}

/**
 * Writes the address to a file for health checks, which do not know the settings. If the write fails, only the health checks
 * fail.
 */
function writeAdminUrl(adminUrl: string, log: Log): void {
  const path = process.env[ADMIN_URL_FILE_VARIABLE] ?? "";
  if (path === "") return;
  try {
    writeFileSync(path, adminUrl);
  } catch (error) {
    log.write("setting.not-applied", { reason: `${ADMIN_URL_FILE_VARIABLE}: ${(error as Error).message}` });
  }
}

function logStart(local: LocalProcess, log: Log, dataDir: string): void {
  const { adminUrl, ingressUrl, exposedHosts, adminToken } = local;
  if (exposedHosts.length > 0) log.write("api.exposed", { hosts: exposedHosts.join(",") });
  if (adminToken === undefined) log.write("admin-token.off");
  else log.write("admin-token.needed", clientsOf(adminUrl, dataDir));
  log.write("process.started", {
    version: packageJson.config.version,
    ingress: ingressUrl,
    admin: adminUrl,
    ui: `${adminUrl}ui/`,
    data: dataDir,
    auth: adminToken === undefined ? "off" : "token",
  });
}

/** How each kind of client sends the token. The log has the path of the token, and never the token. */
function clientsOf(adminUrl: string, dataDir: string): LogFields {
  const file = resolve(dataDir, TOKEN_FILE);
  const token = `$(cat '${file.replaceAll("'", "'\\''")}')`;
  return {
    command: `curl -H "authorization: Bearer ${token}" ${adminUrl}deployments`,
    restate: `RESTATE_ADMIN_URL=${adminUrl} RESTATE_AUTH_TOKEN=${token} restate deployments list`,
    file,
  };
}

const TLS_VARIABLE = "NODE_TLS_REJECT_UNAUTHORIZED";
/** The only value that turns the checks of certificates off. */
const TLS_OFF = "0";

/** The variable turns the checks of certificates off for every connection of the process. */
function warnOfUncheckedTls(log: Log, environment: Readonly<Record<string, string | undefined>>): void {
  if (environment[TLS_VARIABLE] === TLS_OFF) log.write("tls.unchecked", { variable: `${TLS_VARIABLE}=${TLS_OFF}` });
}

/** A smaller heap grows as V8 decides, because frequent collections would slow down calls. */
const BOUNDED_FROM_BYTES = 128 * 1024 * 1024;
/**
 * By default V8 lets the heap grow to four times its live objects before it collects the old generation. With many parked
 * invocations, the garbage then takes hundreds of megabytes. A growth of 100 percent allows twice the live objects, as V8
 * itself does on machines with little memory.
 */
const BOUNDED_GROWTH_PERCENT = 100;
const DEFAULT_GROWTH_PERCENT = 0;
const LOOK_EVERY_MS = 1_000;

/** Looks at the heap from now on, without keeping the process alive. V8 reads the flag at each collection. */
export function boundHeapGrowth(): void {
  let isBounded = false;
  const look = (): void => {
    const isLarge = getHeapStatistics().total_heap_size > BOUNDED_FROM_BYTES;
    if (isLarge === isBounded) return;
    isBounded = isLarge;
    setFlagsFromString(`--heap-growing-percent=${isLarge ? BOUNDED_GROWTH_PERCENT : DEFAULT_GROWTH_PERCENT}`);
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}
