/** The engine's use cases for the admin API, as one record that the composition root fills. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../../engine/engine.ts";
import type {
  DeploymentChoice,
  Interruption,
  InvocationView,
  Pausing,
  Purging,
  Restart,
  Resumption,
} from "../../engine/ports/submission.ts";

/** `by` is the operator, if the HTTP layer has authenticated one. */
export interface InvocationUseCases {
  inspect(engine: Engine, id: InvocationId): Promise<InvocationView | undefined>;
  cancel(engine: Engine, id: InvocationId, by?: string): Promise<Interruption>;
  kill(engine: Engine, id: InvocationId, by?: string): Promise<Interruption>;
  restart(engine: Engine, id: InvocationId, from: number, choice: DeploymentChoice, by?: string): Promise<Restart>;
  purge(engine: Engine, id: InvocationId): Promise<Purging>;
  purgeJournal(engine: Engine, id: InvocationId): Promise<Purging>;
  pause(engine: Engine, id: InvocationId, by?: string): Promise<Pausing>;
  resume(engine: Engine, id: InvocationId, choice: DeploymentChoice, by?: string): Promise<Resumption>;
}
