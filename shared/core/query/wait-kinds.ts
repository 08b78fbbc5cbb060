/** The kinds of things that an open invocation waits for, as engine, API and clients name them. */

/**
 * `schedule`: the start of a delayed send. `key`: the key of the object or workflow. `retry`: the next attempt.
 * `place`, `start`: the limit of a pool. `circuit`: the open circuit of the service. `resume`: an operator. `driver`: a driver. `attempt`: the answer of the
 * deployment. `call`, `attach`: another invocation. `timer`, `promise`, `awakeable`, `signal`: as the name says.
 * `command`: the completion of another command, such as a run.
 */
export const WAIT_KINDS = [
  "schedule",
  "key",
  "place",
  "start",
  "retry",
  "circuit",
  "resume",
  "driver",
  "attempt",
  "call",
  "attach",
  "timer",
  "promise",
  "awakeable",
  "signal",
  "command",
] as const;

export type WaitKind = (typeof WAIT_KINDS)[number];
