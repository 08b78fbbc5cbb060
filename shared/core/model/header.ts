/** A header of an invocation, as its handler gets it. */

export interface Header {
  readonly key: string;
  readonly value: string;
}
