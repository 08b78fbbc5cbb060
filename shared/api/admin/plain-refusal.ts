/** A request that cannot even be understood: answered in plain text, where errors of the domain are JSON. */
export class PlainRefusal extends Error {
  override name = "PlainRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
