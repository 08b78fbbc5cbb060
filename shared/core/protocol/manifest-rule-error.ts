/** A readable manifest that asks for something not allowed: answered with 400, whereas an unreadable manifest is a 500. */
export class ManifestRuleError extends Error {
  override name = "ManifestRuleError";
  /** The place in the document: `$.services[0].handlers[1].ty`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}
