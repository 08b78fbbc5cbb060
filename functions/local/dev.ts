/** `stepwell dev`: reads the settings, starts the process, registers what was asked for, and stops when it is told to. */
import packageJson from "../../package.json" with { type: "json" };
import { loadSettings } from "../../shared/config/settings-source.ts";
import type { SettingPath } from "../../shared/config/settings-table.ts";
import type { Log } from "../../shared/engine/ports/log.ts";
import { registerWhenUp } from "../../shared/engine/register-when-up.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { settingsWarnings } from "../../shared/wiring/settings-warnings.ts";
import { isStartRefusal, refusalText } from "../../shared/wiring/start-refusals.ts";
import { startLocalProcess } from "./local-process.ts";
import type { LocalProcess } from "./local-process.ts";

export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
export const EXIT_REFUSED_START = 3;

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

export interface DevOptions {
  readonly configFile?: string;
  /** Settings that flags have set, as they were written. */
  readonly flags: Partial<Readonly<Record<SettingPath, string>>>;
  /** Deployments to register. */
  readonly register: readonly string[];
  readonly useHttp11: boolean;
}

/** Runs until a signal ends it. @returns the exit code */
export async function runDev(options: DevOptions): Promise<number> {
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve()));
  const onSignal = (): void => {
    // Whoever asks twice does not want to wait.
    if (stopping.signal.aborted) process.exit(EXIT_FAILURE);
    stopping.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  try {
    const { settings, warnings } = loadSettings(options.configFile, options.flags);
    const log = processLog(settings, (line) => void process.stderr.write(line));
    for (const warning of [...warnings, ...settingsWarnings(settings)]) log.warn(warning);
    const local = await startLocalProcess(settings, packageJson.version, log);
    tellStart(local, log, settings["data-dir"], [settings["ingress.bind"], settings["admin.bind"]]);
    const registrations = options.register.map((uri) =>
      registerOne(local, { uri, useHttp11: options.useHttp11 }, log, stopping.signal),
    );
    await stopped;
    log.info("stopping; a second signal ends at once");
    await Promise.all(registrations);
    await local.stop();
    log.info("stopped");
    return EXIT_OK;
  } catch (error) {
    if (!isStartRefusal(error)) throw error;
    process.stderr.write(refusalText(error));
    return EXIT_REFUSED_START;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
  }
}

function tellStart(local: LocalProcess, log: Log, dataDir: string, hosts: readonly string[]): void {
  const open = hosts.filter((host) => !LOOPBACK.has(host));
  if (open.length > 0) {
    log.warn("listening beyond this machine: whoever reaches these ports may call and administer everything", {
      hosts: open.join(","),
    });
  }
  log.info(`stepwell ${packageJson.version} is ready`, {
    ingress: local.ingressUrl,
    admin: local.adminUrl,
    data: dataDir,
  });
}

/** A deployment that cannot be registered is told and does not keep the others, or the process, from going on. */
async function registerOne(
  local: LocalProcess,
  deployment: { readonly uri: string; readonly useHttp11: boolean },
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { uri } = deployment;
  const onWaiting = (reason: string): void => log.info("waiting for the deployment to answer", { uri, reason });
  try {
    const registered = await registerWhenUp(local.engine, deployment, onWaiting, signal);
    if (registered === undefined) return;
    const { id, services } = registered.deployment;
    // The engine has told of a new one.
    if (registered.kind === "created") return;
    const names = services.map(({ name, revision }) => `${name}@${revision}`).join(",");
    log.info(OUTCOMES[registered.kind], { uri, deploymentId: id, services: names });
  } catch (error) {
    log.error("the deployment was not registered", {
      uri,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

const OUTCOMES = {
  unchanged: "the deployment is registered already and has not changed",
  replaced: "the deployment has changed and was registered again under its id",
} as const;
