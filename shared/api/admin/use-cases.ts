/** What the admin API asks of the engine about invocations, as one record that the composition root fills. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Interruption, InvocationView } from "../../engine/submission.ts";

export interface InvocationUseCases {
  inspect(engine: Engine, id: InvocationId): Promise<InvocationView | undefined>;
  cancel(engine: Engine, id: InvocationId): Promise<Interruption>;
  kill(engine: Engine, id: InvocationId): Promise<Interruption>;
}
