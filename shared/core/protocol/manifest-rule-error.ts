/** A manifest that can be read but asks for what is not allowed: refused with 400, where an unreadable one is a 500. */
export class ManifestRuleError extends Error {
  override name = "ManifestRuleError";
  /** The place in the document: `$.services[0].handlers[1].ty`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}
