/** A header as handlers see it: name and value, in the order given. */

export interface Header {
  readonly key: string;
  readonly value: string;
}
