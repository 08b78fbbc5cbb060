/** The port by which walks are shared out: messages that name a slice, each at least once, maybe late, maybe twice (I8). */

export interface SliceQueue {
  /** @param name as the item of the slice has it: letters of ASCII, 200 at most */
  send(name: string): Promise<void>;
}
