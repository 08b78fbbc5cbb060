/** The state that a handler gets: with its request, or by a command that reads. */
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { StartFields } from "../../core/protocol/request-body.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { type Lock, lifeAt } from "../store/lock-record.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { withoutPendingEdit } from "./state-edits.ts";
import { readKeys, readState, readValue } from "./stored-state.ts";
import type { CommandEntry, NotificationEntry } from "../../core/invocation/entry.ts";
import { type CompletedName, isKeyed } from "../../core/protocol/commands.ts";
import { completionFrame, lazyStateCompletion, lazyStateKeysCompletion } from "../../core/protocol/notifications.ts";
import type { ProtocolVersion } from "../../core/protocol/version.ts";
import { ChangedState } from "./object-state.ts";
import { readPromise } from "./promises.ts";

export type EagerState = Pick<StartFields, "state" | "partialState">;

const NONE: EagerState = { state: [], partialState: true };

/**
 * Costs nothing for a plain service or lazy state. Else costs a read of the lock, unless the driver has the lock in memory,
 * and a read of the values beside the lock, if there are any.
 */
export function eagerState(
  engine: Engine,
  active: ActiveInvocation,
  { settings }: Route,
): EagerState | Promise<EagerState> {
  const { serviceType } = active.invocation.acceptance;
  const maxBytes = engine.settings.eagerStateMaxBytes;
  if (serviceType === "service" || settings.lazyState || maxBytes === 0) return NONE;
  return stateNow(engine, active, maxBytes);
}

/** The driver of the holder has the lock in memory; a shared handler gets the state as of the beginning of its attempt. */
async function stateNow(engine: Engine, active: ActiveInvocation, maxBytes: number): Promise<EagerState> {
  const pk = objectPartition(engine, active.invocation.acceptance.target);
  const lock = active.lock.known ?? (await withoutPendingEdit(engine, pk, await lockAt(engine, pk)));
  const { life, over } = lifeAt(lock, engine.clock.nowMs());
  const { values, complete } = await readState(engine, pk, life, over ? EMPTY_STATE : lock.state, maxBytes);
  let sizeBytes = 0;
  for (const [key, value] of values) sizeBytes += key.length + value.length;
  // Without room, the handler asks for the values that it needs.
  if (!active.hasStateRoom(engine.bulkheads, sizeBytes)) return NONE;
  const encoder = new TextEncoder();
  const state = [...values].map(([key, value]) => ({ key: encoder.encode(key), value }));
  return { state, partialState: !complete };
}

export interface KeyedReads {
  /**
   * Called in the order of the commands, so that a read shows the changes before it.
   * @returns undefined if the command is not a read, or if it waits for a promise that is not completed
   */
  answer(entry: CommandEntry): Promise<NotificationEntry | undefined>;
}

/** Answers reads of state and promises at once. The completion goes into the same segment as its command. */
export function keyedReads(engine: Engine, active: ActiveInvocation, version: ProtocolVersion): KeyedReads {
  const { acceptance } = active.invocation;
  let lock: Lock | undefined;
  const pk = (): string => objectPartition(engine, acceptance.target);
  /** The driver of the holder has the lock in memory. For a shared handler, the lock is read once per attempt. */
  const shown = async (): Promise<Pick<Lock, "life" | "state">> => {
    lock ??= active.lock.known ?? (await withoutPendingEdit(engine, pk(), await lockAt(engine, pk())));
    const { life, over } = lifeAt(lock, engine.clock.nowMs());
    return { life, state: over ? EMPTY_STATE : lock.state };
  };
  const state = new ChangedState(
    async (key) => {
      const { life, state: known } = await shown();
      return await readValue(engine, pk(), life, known, key);
    },
    async () => {
      const { life, state: known } = await shown();
      return await readKeys(engine, pk(), life, known);
    },
  );
  return {
    async answer(entry) {
      if (!isKeyed(entry)) return undefined;
      const { command } = entry;
      switch (command.kind) {
        case "change-state":
          state.change(command.change);
          return undefined;
        case "get-state": {
          const frame = lazyStateCompletion(command.completionId, await state.value(command.key));
          return completed("GetLazyState", command.completionId, frame);
        }
        case "get-state-keys": {
          const keys = (await state.keys()).map((key) => new TextEncoder().encode(key));
          return completed(
            "GetLazyStateKeys",
            command.completionId,
            lazyStateKeysCompletion(command.completionId, keys),
          );
        }
        case "get-promise": {
          const result = await readPromise(engine, acceptance.target, command.name);
          if (result === undefined) return undefined;
          const frame = completionFrame("GetPromise", command.completionId, result, version);
          return completed("GetPromise", command.completionId, frame, result.kind === "failure");
        }
        case "peek-promise": {
          const result = await readPromise(engine, acceptance.target, command.name);
          const frame = completionFrame("PeekPromise", command.completionId, result, version);
          return completed("PeekPromise", command.completionId, frame, result?.kind === "failure");
        }
        case "read-state":
        case "read-state-keys":
        case "complete-promise":
          return undefined;
      }
    },
  };
}

function completed(type: CompletedName, completionId: number, frame: Uint8Array, failed = false): NotificationEntry {
  return { kind: "notification", type, id: { completionId }, failed, frame };
}
