/** What an attack is: the handlers of a hostile deployment, and what its owner does with them, all in a process of its own. */
import type { ServerHttp2Stream } from "node:http2";
import type { Server } from "node:net";

/** One request of the server to run a handler of the attacker. */
export interface Attempt {
  readonly stream: ServerHttp2Stream;
  readonly contentType: string;
  /** The whole request: Start, and the journal so far. */
  readonly body: Buffer;
  /** How many attempts on this handler there were before. */
  readonly earlier: number;
}

export type Answer = (attempt: Attempt) => void;

/** What the attacker's process is given before it strikes. */
export interface Site {
  readonly ingressUri: string;
  readonly adminUri: string;
  /** The file that holds the id of the server's process, which changes with each start. */
  readonly pidPath: string;
  readonly logPath: string;
  readonly dataDir: string;
  /** The bundled `stepwell` command. */
  readonly command: string;
}

export interface Scene extends Site {
  /** Of the attacker's deployment. */
  readonly deploymentUri: string;
  /** When each attempt began, in milliseconds of this process. */
  readonly attemptsAtMs: readonly number[];
  /** Another server takes the port of the deployment, with its connections gone. */
  replaceServer(server: Server): Promise<void>;
}

export interface Deed {
  /** Ids of what the server has accepted. */
  readonly accepted: readonly string[];
  /** What the server did that it must not do; beyond what every attack asserts. */
  readonly complaints?: readonly string[];
  /** Figures for the reader. */
  readonly notes?: Readonly<Record<string, number | string>>;
}

export interface Attack {
  /** As it is chosen: `-t A3:`. */
  readonly name: string;
  /** The behaviour that is asserted. */
  readonly title: string;
  /** By the names of the handlers of the one service `Attacker`. */
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly isObject?: true;
  /** Options of the service in its manifest. */
  readonly options?: object;
  /** Takes ten seconds at most. */
  strike(scene: Scene): Promise<Deed>;
}
