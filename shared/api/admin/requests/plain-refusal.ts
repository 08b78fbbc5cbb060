/** A refusal that the admin API answers in plain text, usually because the request is malformed; other refusals are JSON. */
export class PlainRefusal extends Error {
  override name = "PlainRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
