/** A header as handlers see it: name and value, in the order they were given. */

export interface Header {
  readonly key: string;
  readonly value: string;
}
