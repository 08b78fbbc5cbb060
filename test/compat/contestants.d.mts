/** @see contestants.mjs */

export interface Contestant {
  readonly name: string;
}

export interface StartedServer {
  /** Without a slash at the end, like `adminUrl`. */
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly dataDir: string;
  stop(): Promise<void>;
}

export const REFERENCE: Contestant;
export function startServer(contestant: Contestant, parent: string): Promise<StartedServer>;
