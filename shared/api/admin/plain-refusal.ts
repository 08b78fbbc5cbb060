/** A refusal that is answered in plain text, mostly of a malformed request; other refusals are JSON. */
export class PlainRefusal extends Error {
  override name = "PlainRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
