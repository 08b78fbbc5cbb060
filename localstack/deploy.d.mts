/** The shapes of `deploy.mjs`, for whoever is compiled. */
export interface DeployedApp {
  readonly endpoint: string;
  readonly name: string;
  /** The command that synthesises; the product's own where none is given. */
  readonly app?: string;
  readonly context?: Readonly<Record<string, string>>;
}

export function deploy(told: DeployedApp): Promise<Readonly<Record<string, string>>>;
