/** The port that shares out walks: each message names a slice, and comes at least once, possibly late, possibly twice (I8). */

export interface SliceQueue {
  /** @param name the name in the slice's item: at most 200 ASCII characters */
  send(name: string): Promise<void>;
}
