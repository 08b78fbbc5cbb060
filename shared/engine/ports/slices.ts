/** The port that gives slices of walks to workers. A message names a slice, and comes at least once, perhaps late (I8). */

export interface SliceQueue {
  /** @param name the name in the slice's item: at most 200 ASCII characters */
  send(name: string): Promise<void>;
}
