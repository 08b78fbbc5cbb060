/** The interface of the functions that `npm run try` shares with the emulator's scripts. */

export interface CdkOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** The address of an API at the emulator: the API's host name, on the emulator's port. */
export interface EmulatedApi {
  readonly host: string;
  readonly port: number;
}

export interface Tools {
  /** The root of the checkout. */
  readonly root: string;
  /** The folder for all generated files. */
  readonly folder: string;
  /** Bundles the code of all functions into a folder. */
  readonly bundle: (folder: string) => Promise<void>;
  /** @throws Error with the command's whole output in `told` */
  readonly cdk: (args: readonly string[], options: CdkOptions) => Promise<string>;
  readonly emulatorContext: (functionsName: string) => Readonly<Record<string, string>>;
  readonly clientEnvironment: (endpoint: string) => Readonly<Record<string, string>>;
  readonly localApi: (url: string, endpoint: string) => EmulatedApi;
}
