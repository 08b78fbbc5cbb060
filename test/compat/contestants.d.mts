/** @see contestants.mjs */

export interface Place {
  readonly dir: string;
  readonly ingressPort: number;
  readonly adminPort: number;
  readonly nodePort: number;
}

export interface Contestant {
  readonly name: string;
  readonly command: (place: Place) => {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
}

export interface StartedServer {
  /** Without a slash at the end, like `adminUrl`. */
  readonly ingressUrl: string;
  readonly adminUrl: string;
  /** The headers of requests to the admin API. */
  readonly access: Readonly<Record<string, string>>;
  readonly dataDir: string;
  stop(): Promise<void>;
}

export const REFERENCE: Contestant;
export function startServer(contestant: Contestant, parent: string): Promise<StartedServer>;
