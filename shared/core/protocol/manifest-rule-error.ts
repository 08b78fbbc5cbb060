/**
 * The error for a readable manifest that breaks a rule. The API answers this error with 400, and an unreadable manifest with
 * 500.
 */
export class ManifestRuleError extends Error {
  override name = "ManifestRuleError";
  /** The place in the document: `$.services[0].handlers[1].ty`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}
