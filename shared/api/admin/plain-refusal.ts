/** A malformed request, answered in plain text; domain errors are JSON. */
export class PlainRefusal extends Error {
  override name = "PlainRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
