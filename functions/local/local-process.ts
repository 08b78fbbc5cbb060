/** The control plane in one process: two listeners, one engine, and the background loops. */
import { resolve } from "node:path";
import { adminApp } from "../../shared/api/admin/admin-app.ts";
import type { AdminDeps } from "../../shared/api/admin/requests/admin-request.ts";
import { textResponse, type HttpRequest } from "../../shared/api/http/message.ts";
import {
  bodyTooLargeResponse,
  noAnswerRoomResponse,
  noBodyRoomResponse,
  refusalResponse,
  tooManyResponse,
} from "../../shared/api/ingress/answers.ts";
import { withCommonHeaders } from "../../shared/api/ingress/cors.ts";
import { changesSomething } from "../../shared/api/admin/server/audit.ts";
import { adminRefusal, noRoomResponse } from "../../shared/api/admin/requests/no-room.ts";
import { resultAgain } from "../../shared/api/ingress/result-routes.ts";
import { ingressApp } from "../../shared/api/ingress/ingress-app.ts";
import type { Settings } from "../../shared/config/settings-table.ts";
import type { Activity } from "../../shared/engine/ports/activity.ts";
import type { Log } from "../../shared/engine/ports/log.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { beginLife, endLife } from "../../shared/engine/sweep/begin-life.ts";
import { noteListing } from "../../shared/engine/sweep/sweep.ts";
import { answerPacking } from "../../shared/wiring/answer-packing.ts";
import { openEmbedded, type Embedded } from "../../shared/wiring/embedded.ts";
import { statementEvaluation, type OpenStatementEvaluation } from "../../shared/wiring/statement-evaluation.ts";
import { builtInUi } from "../../shared/wiring/built-in-ui.ts";
import { fileRefusal, makeDataDirectory, warnWhereReadable } from "../../shared/wiring/start-refusals.ts";
import { invocationUseCases, startLoops, type Loops } from "../../shared/wiring/use-cases.ts";
import { openListener, type HttpListener, type ListenerOptions } from "./http-listener.ts";
import { forgetAddress, keepToken, noteAddress, TOKEN_FILE } from "../door/admin-files.ts";
import { doorForOwnHosts } from "../door/own-host.ts";
import { doorOf, pageRefusal, type Door, type DoorRules, type Knock, type RefusedSecret } from "../door/door.ts";
import { peerUser, type Ends } from "../door/peer-user.ts";

const POLL_EVERY_MS = 20;
/** The time for remaining work after everything was asked to end. */
const LAST_WORDS_MS = 500;

export interface LocalProcess {
  readonly engine: Engine;
  readonly ingressUrl: string;
  readonly adminUrl: string;
  /** The check of clients of the admin API; undefined if the setting admin.auth is off. */
  readonly adminToken: string | undefined;
  readonly dataDir: string;
  /** The configured hosts of listeners that are not bound to a loopback address, so that other machines may connect to them. */
  readonly exposedHosts: readonly string[];
  /** Refuses new work, lets running work end within a bounded time, parks the rest and closes the stores. */
  stop(): Promise<void>;
}

/**
 * @param activity the receiver of each invocation that ends
 * @throws CodedError RT0004 or the errors of `openEmbedded` if the process cannot start; then nothing stays open
 */
export async function startLocalProcess(
  settings: Settings,
  version: string,
  log: Log,
  activity?: Activity,
): Promise<LocalProcess> {
  const embedded = await openEmbedded(settings, log, activity);
  const statements = statementEvaluation(embedded.engine, settings, { environment: process.env });
  const listeners: HttpListener[] = [];
  let hasBegun = false;
  try {
    await noteListing(embedded.engine);
    const app = ingressAppFor(settings, embedded);
    const ingress = await openIngress(settings, embedded, app);
    listeners.push(ingress);
    const ingressUrl = urlOf(settings["ingress.bind"], ingress.port);
    const adminToken = await adminTokenOf(settings, log);
    const refused = new RefusedSecrets(log);
    const admin = await openAdmin(
      settings,
      embedded,
      { token: adminToken, refused },
      {
        version,
        ingressEndpoint: ingressUrl,
        ingress: app,
        statements,
        readiness: async () => [
          { name: "recovery", isOk: hasBegun, ...(!hasBegun && { reason: "the process has not read its store yet" }) },
          ...(await embedded.readiness()),
        ],
      },
    );
    listeners.push(admin);
    const adminUrl = urlOf(settings["admin.bind"], admin.port);
    await noteAdminUrl(settings, adminUrl);
    await beginLife(embedded.engine);
    hasBegun = true;
    const loops = startLoops(embedded, {
      concurrencyMax: settings["worker.invoker.concurrent-invocations-limit"],
      heedsLag: true,
      perService: settings["worker.invoker.concurrent-invocations-limit-per-service"],
      perDeployment: settings["worker.invoker.concurrent-invocations-limit-per-deployment"],
    });
    let stopping: Promise<void> | undefined;
    return {
      engine: embedded.engine,
      ingressUrl,
      adminUrl,
      adminToken,
      dataDir: settings["data-dir"],
      exposedHosts: exposed([ingress, settings["ingress.bind"]], [admin, settings["admin.bind"]]),
      stop: () => (stopping ??= stop({ embedded, listeners, loops, statements, refused }, settings)),
    };
  } catch (error) {
    for (const listener of listeners) listener.close();
    await embedded.close();
    throw error;
  }
}

function ingressAppFor(settings: Settings, { engine }: Embedded): ReturnType<typeof ingressApp> {
  return ingressApp(engine, {
    forwardHeaders: settings["ingress.forward-headers"],
    journaledHeaders: settings["ingress.journaled-headers"],
    credentialedOrigins: settings["ingress.credentialed-origins"],
    storeReason: ({ message }) => message,
  });
}

function openIngress(
  settings: Settings,
  { ingressBudgets }: Embedded,
  answer: ReturnType<typeof ingressApp>,
): Promise<HttpListener> {
  const max = settings["ingress.concurrent-api-requests-limit"];
  const refusal = (request: HttpRequest) => withCommonHeaders(request, tooManyResponse());
  return openListener({
    host: settings["ingress.bind"],
    port: settings["ingress.port"],
    bodyMaxBytes: settings["ingress.request-size-limit"],
    ...connectionLimits(settings),
    malformed: refusalResponse,
    tooLarge: (request, declared) => withCommonHeaders(request, bodyTooLargeResponse(declared)),
    ...(max !== undefined && { concurrency: { max, refusal } }),
    rooms: {
      ...ingressBudgets,
      noBodyRoom: (request) => withCommonHeaders(request, noBodyRoomResponse()),
      noRoom: (request, response) => withCommonHeaders(request, noAnswerRoomResponse(response)),
      again: resultAgain,
    },
    answer,
  });
}

async function openAdmin(
  settings: Settings,
  embedded: Embedded,
  { token, refused }: { readonly token: string | undefined; readonly refused: RefusedSecrets },
  deps: Pick<AdminDeps, "version" | "ingressEndpoint" | "ingress" | "statements" | "readiness">,
): Promise<HttpListener> {
  const app = adminApp(embedded.engine, {
    ...deps,
    runsOn: "one-process",
    ...(!settings["admin.disable-web-ui"] && { uiFiles: builtInUi() }),
    recentEnds: () => embedded.recentEnds.view(),
    packing: answerPacking(),
    metricsText: () => embedded.metricsText(),
    invocations: invocationUseCases,
  });
  let isLoopback = true;
  const listener = await openListener({
    host: settings["admin.bind"],
    port: settings["admin.port"],
    bodyMaxBytes: settings["admin.request-size-limit"],
    ...connectionLimits(settings),
    malformed: (status, message) => adminRefusal(status, message),
    tooLarge: () => textResponse(413, "length limit exceeded"),
    rooms: {
      ...embedded.adminBudgets,
      noBodyRoom: () => noRoomResponse("bodies"),
      noRoom: () => noRoomResponse("answers"),
      again: (request) => (changesSomething(request) ? undefined : request),
    },
    door: adminDoor(settings, {
      token,
      isLoopback: () => isLoopback,
      onRefused: (secret, ends) => refused.note(secret, ends),
    }),
    answer: app,
  });
  isLoopback = listener.isLoopback;
  return listener;
}

/** The limits of connections, which both listeners share. */
function connectionLimits(settings: Settings): Pick<ListenerOptions, "headMaxBytes" | "connectionsMax" | "arrival"> {
  const connections = settings["listeners.connections-limit"];
  return {
    headMaxBytes: settings["listeners.headers-size-limit"],
    ...(connections !== "share" && { connectionsMax: connections }),
    arrival: {
      headWithinMs: settings["listeners.head-timeout"],
      requestWithinMs: settings["listeners.request-timeout"],
      idleMs: settings["listeners.idle-timeout"],
      unreadMs: settings["listeners.unread-timeout"],
    },
  };
}

/** @throws CodedError RT0900, RT0901 or RT0902 if the file of the token cannot be written */
async function adminTokenOf(settings: Settings, log: Log): Promise<string | undefined> {
  if (settings["admin.auth"] === "off") return undefined;
  const dataDir = settings["data-dir"];
  try {
    await makeDataDirectory(dataDir);
    // A user who may write in the directory can replace the files with the token and the address.
    warnWhereReadable(dataDir, log);
    const { token, isReplaced } = await keepToken(dataDir, settings["admin.token"]);
    if (isReplaced) log.write("admin-token.replaced", { file: resolve(dataDir, TOKEN_FILE) });
    return token;
  } catch (error) {
    throw fileRefusal(dataDir, error);
  }
}

/** @throws CodedError RT0900, RT0901 or RT0902 if the file of the address cannot be written */
async function noteAdminUrl(settings: Settings, adminUrl: string): Promise<void> {
  const dataDir = settings["data-dir"];
  try {
    await noteAddress(dataDir, adminUrl);
  } catch (error) {
    throw fileRefusal(dataDir, error);
  }
}

/** An address that a client on this machine can call: a wildcard address is not callable itself. */
function urlOf(host: string, port: number): string {
  const called = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${called.includes(":") ? `[${called}]` : called}:${port}/`;
}

function exposed(...bound: readonly (readonly [HttpListener, string])[]): readonly string[] {
  return bound.filter(([listener]) => !listener.isLoopback).map(([, host]) => host);
}

interface Running {
  readonly embedded: Embedded;
  readonly listeners: readonly HttpListener[];
  readonly loops: Loops;
  readonly statements: OpenStatementEvaluation;
  readonly refused: RefusedSecrets;
}

async function stop({ embedded, listeners, loops, statements, refused }: Running, settings: Settings): Promise<void> {
  const { clock, activeInvocations } = embedded.engine;
  const graceMs = settings["shutdown-timeout"];
  await forgetAddress(settings["data-dir"]);
  const untilMs = clock.nowMs() + graceMs;
  // If the clock is set back, the grace counts as over.
  const isGrace = (): boolean => clock.nowMs() < untilMs && clock.nowMs() >= untilMs - graceMs;
  for (const listener of listeners) listener.stopAccepting();
  loops.stop();
  while (activeInvocations.size > 0 && isGrace()) await clock.sleep(POLL_EVERY_MS);
  activeInvocations.stop();
  statements.close();
  const ended = new AbortController();
  await Promise.race([loops.ended, clock.sleep(LAST_WORDS_MS, ended.signal)]);
  ended.abort();
  const isBusy = (): boolean => activeInvocations.size > 0 || listeners.some(({ openRequests }) => openRequests > 0);
  for (const lastMs = clock.nowMs() + LAST_WORDS_MS; isBusy() && clock.nowMs() < lastMs;) {
    await clock.sleep(POLL_EVERY_MS);
  }
  for (const listener of listeners) listener.close();
  refused.end();
  await endLife(embedded.engine).catch(() => undefined);
  await embedded.engine.tracer?.flush(isGrace() ? Math.max(LAST_WORDS_MS, untilMs - clock.nowMs()) : LAST_WORDS_MS);
  await embedded.close();
}

const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/**
 * Supervisors of a process have no token, and these answers say only whether it runs and takes work. The files of the web UI are the same for
 * everyone, and a page without a session says how to sign in.
 */
const OPEN_PATH =
  /^(?:\/(?:v\d{1,3}\/)?(?:health|ready)|\/|\/ui|\/ui\/[\w.-]{0,100}|\/ui\/[\w-]{1,50}\/[\w.%-]{1,500})$/;

interface AdminDoorOptions extends Pick<DoorRules, "onRefused"> {
  /** Undefined if the setting admin.auth is off. */
  readonly token: string | undefined;
  /** Whether the port is bound to a loopback address. */
  readonly isLoopback: () => boolean;
}

/** The door of the local admin API: the senders and requests that it lets in, and the log of refused secrets. */
function adminDoor(settings: Settings, { token, isLoopback, ...more }: AdminDoorOptions): Door {
  const hosts = doorForOwnHosts(settings["admin.allowed-hosts"], isLoopback);
  const rest = token === undefined ? withoutToken : withToken(settings, token, more);
  return (knock, ends) => hosts(knock, ends) ?? rest(knock, ends);
}

/** Other pages stay outside here too: their requests need no answer to cost work. */
function withoutToken(knock: Knock): ReturnType<Door> {
  return isOpen(knock) ? undefined : pageRefusal(knock);
}

function withToken(settings: Settings, token: string, more: Pick<DoorRules, "onRefused">): Door {
  return doorOf({
    ...more,
    token,
    nowMs: () => Date.now(),
    isOpen,
    isPageFile: () => false,
    whereTokenIs: `it is the content of ${resolve(settings["data-dir"], TOKEN_FILE)} on the server's machine`,
    userOf: peerUser,
  });
}

function isOpen({ method, path }: Knock): boolean {
  return READING.has(method) && OPEN_PATH.test(path);
}

const WINDOW_MS = 60_000;

interface Refused {
  readonly secret: RefusedSecret;
  /** The address of the client. */
  readonly from: string;
}

export class RefusedSecrets {
  readonly #log: Log;
  #window: NodeJS.Timeout | undefined;
  #last: Refused | undefined;
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  note(secret: RefusedSecret, { remoteAddress = "" }: Ends): void {
    this.#last = { secret, from: remoteAddress };
    this.#count += 1;
    if (this.#window === undefined) this.#tell();
  }

  /** Logs what has come since the last line. */
  end(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    if (this.#last !== undefined) this.#tell();
    clearTimeout(this.#window);
  }

  /** Begins a window, at whose end the next line may come. */
  #tell(): void {
    this.#log.write("admin-token.refused", { ...this.#last!, count: this.#count });
    this.#last = undefined;
    this.#count = 0;
    this.#window = setTimeout(() => {
      this.#window = undefined;
      if (this.#last !== undefined) this.#tell();
    }, WINDOW_MS).unref();
  }
}
