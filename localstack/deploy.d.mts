/** The types of `deploy.mjs`, for TypeScript callers. */
export interface DeployedApp {
  readonly endpoint: string;
  readonly name: string;
  /** The command that synthesizes; by default the product's own app. */
  readonly app?: string;
  readonly context?: Readonly<Record<string, string>>;
}

export function deploy(told: DeployedApp): Promise<Readonly<Record<string, string>>>;

/** The environment of every client of the emulator. */
export function clientEnvironment(endpoint: string): Readonly<Record<string, string>>;
