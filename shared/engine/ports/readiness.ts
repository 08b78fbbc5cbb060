/** Whether this server can take new work now, and why not. */

export interface ReadinessCheck {
  /** A stable name, such as `journal-store`. */
  readonly name: string;
  readonly isOk: boolean;
  /** Why the check fails; absent if it does not. */
  readonly reason?: string;
}
