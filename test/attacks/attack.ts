/** An attack: the handlers of a hostile deployment, and its owner's requests, both in one separate process. */
import type { ServerHttp2Stream } from "node:http2";
import type { Server, Socket } from "node:net";
import type { PeerKind } from "../harness/https/peer.ts";
import type { OnRequest } from "./transports.ts";

/** One request of the server to run a handler of the attacker. */
export interface Attempt {
  readonly stream: ServerHttp2Stream;
  readonly contentType: string;
  /** The whole body of the request: Start, and the journal so far. */
  readonly body: Buffer;
  /** The number of earlier attempts on this handler. */
  readonly earlier: number;
}

/** One request whose handler starts as soon as the head has arrived. */
export interface Talk {
  readonly stream: ServerHttp2Stream;
  readonly contentType: string;
}

/** Handles a request of the server, from the arrival of its head on. */
export type Talker = (talk: Talk) => void;

export type Answer = (attempt: Attempt) => void;

/** The data that the attacker's process gets before it strikes. */
export interface Site {
  readonly ingressUri: string;
  readonly adminUri: string;
  /** The file with the id of the server's process, which changes with each start. */
  readonly pidPath: string;
  readonly logPath: string;
  readonly dataDir: string;
  /** The bundled `stepwell` command. */
  readonly command: string;
}

export interface Scene extends Site {
  /** The address of the attacker's deployment. */
  readonly deploymentUri: string;
  /** The moment at which each attempt started, as `performance.now()` of this process. */
  readonly attemptsAtMs: readonly number[];
  /** Replaces the deployment by another server on the same port, and closes its connections. */
  replaceServer(server: Server): Promise<void>;
  /** A server over the attack's transport that gets whole requests. */
  requestServer(onRequest: OnRequest): Server;
  /** A server over the attack's transport that gets bare sockets. */
  socketServer(onSocket: (socket: Socket) => void): Server;
}

export interface Deed {
  /** Ids of accepted invocations. */
  readonly accepted: readonly string[];
  /** Misbehaviour of the server, in addition to what the checks of every attack find. */
  readonly complaints?: readonly string[];
  /** Figures for the reader. */
  readonly notes?: Readonly<Record<string, number | string>>;
}

export interface Attack {
  /** The name, such as `A3`: the option `-t A3:` selects the attack by it. */
  readonly name: string;
  /** The asserted behaviour. */
  readonly title: string;
  /** The handlers of the one service `Attacker`, by name. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** Handlers of the same service that talk while their request is open. */
  readonly talks?: Readonly<Record<string, Talker>>;
  /** The limit of streams that the deployment announces; by default none. */
  readonly streamsMax?: number;
  /** The transport of the deployment; HTTP/2 in the clear by default. */
  readonly transport?: PeerKind;
  readonly isObject?: true;
  /** Options of the service in its manifest. */
  readonly options?: object;
  strike(scene: Scene): Promise<Deed>;
}
