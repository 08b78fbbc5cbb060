/** The error for a readable manifest that breaks a rule: the API answers 400, but 500 for an unreadable manifest. */
export class ManifestRuleError extends Error {
  override name = "ManifestRuleError";
  /** The place in the document: `$.services[0].handlers[1].ty`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}
