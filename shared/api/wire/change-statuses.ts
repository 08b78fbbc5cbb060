/** The statuses or outcomes of the invocations that each change selects when a filter names no status. */

export type ChangeName = "cancel" | "kill" | "pause" | "resume" | "purge" | "restart";

/** Words of `status` and `outcome` of `GET /invocations`. */
export const CHANGE_STATUSES: Readonly<Record<ChangeName, readonly string[]>> = {
  cancel: ["open"],
  kill: ["open"],
  pause: ["scheduled", "pending", "ready", "running", "backing-off", "suspended"],
  resume: ["paused"],
  purge: ["completed"],
  restart: ["failed"],
};
