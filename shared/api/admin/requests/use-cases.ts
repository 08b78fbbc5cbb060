/** The engine's use cases for the admin API, as one record that the composition root fills. */
import type { cancel, pause } from "../../../engine/operate/orders.ts";
import type { purge, purgeJournal } from "../../../engine/operate/purge.ts";
import type { restart } from "../../../engine/operate/restart.ts";
import type { resume } from "../../../engine/operate/resume.ts";
import type { showInvocation } from "../../../engine/query/show-invocation.ts";
import type { kill } from "../../../engine/recover/kill.ts";

/** Each member has the type of one function of the engine; the comment of that function states what it does. */
export interface InvocationUseCases {
  readonly inspect: typeof showInvocation;
  readonly cancel: typeof cancel;
  readonly kill: typeof kill;
  readonly restart: typeof restart;
  readonly purge: typeof purge;
  readonly purgeJournal: typeof purgeJournal;
  readonly pause: typeof pause;
  readonly resume: typeof resume;
}
