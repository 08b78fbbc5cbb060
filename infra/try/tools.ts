/** What the command is given by the scripts that share it with the emulator. */

export interface CdkOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** How the emulator serves an API: under its name, on its own port. */
export interface EmulatedApi {
  readonly host: string;
  readonly port: number;
}

export interface Tools {
  /** The checkout. */
  readonly root: string;
  /** Takes everything that is made on the way. */
  readonly folder: string;
  /** Makes the code of all functions in a folder. */
  readonly bundle: (folder: string) => Promise<void>;
  /** @throws Error with everything that the command wrote, in `told` */
  readonly cdk: (args: readonly string[], options: CdkOptions) => Promise<string>;
  readonly emulatorContext: (functionsName: string) => Readonly<Record<string, string>>;
  readonly clientEnvironment: (endpoint: string) => Readonly<Record<string, string>>;
  readonly localApi: (url: string, endpoint: string) => EmulatedApi;
}
