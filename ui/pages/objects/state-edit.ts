/** Sends an edit of a state, and reads the state until it shows the change. */
import { useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { askWholeState, sendEdit } from "../../data/key-state.ts";
import type { KeyName } from "../../model/key-name.ts";
import { isSameState, type KeyState, type StateEdit, type Values } from "../../model/key-state.ts";

const CONFLICT = 409;
/** The pauses between reads after an edit. */
const PAUSES_MS = [200, 500, 1_000, 2_000, 4_000];

/** The server has accepted the edit in each of these cases, so none of them is a failure. */
const RESULTS = {
  shown: "✓ The state is as you wanted it.",
  waiting: "The change is accepted, and does not show yet: it waits behind the holder of the key.",
  unread: "The change is accepted. The state could not be read since, so this page cannot tell whether it shows.",
} as const;

export type EditStage =
  | { readonly kind: "asking" | "sending" }
  | { readonly kind: "failed"; readonly problem: ApiProblem }
  | Conflict
  | { readonly kind: "done"; readonly words: string };

export interface Conflict {
  readonly kind: "conflict";
  readonly edit: StateEdit;
  readonly base: KeyState;
  readonly present: KeyState;
}

export interface StateEditing {
  readonly stage: EditStage;
  /** @param onto the state that the edit starts from; by default the state of the dialog */
  readonly send: (edit: StateEdit, onto?: KeyState) => Promise<void>;
}

export function useStateEdit(named: KeyName, base: KeyState, refresh: () => Promise<void>): StateEditing {
  const [stage, setStage] = useState<EditStage>({ kind: "asking" });
  const send = async (edit: StateEdit, onto = base): Promise<void> => {
    setStage({ kind: "sending" });
    try {
      const wanted = await sendEdit(named, onto, edit);
      const seen = await untilShown(named, wanted).catch(() => "unread" as const);
      await refresh();
      setStage({ kind: "done", words: RESULTS[seen] });
    } catch (error) {
      setStage(await failure(error, { named, edit, base: onto }));
    }
  };
  return { stage, send };
}

async function failure(
  error: unknown,
  { named, edit, base }: { readonly named: KeyName; readonly edit: StateEdit; readonly base: KeyState },
): Promise<EditStage> {
  const problem = problemOf(error);
  if (problem.status !== CONFLICT) return { kind: "failed", problem };
  try {
    return { kind: "conflict", edit, base, present: await askWholeState(named) };
  } catch {
    return { kind: "failed", problem };
  }
}

async function untilShown(named: KeyName, wanted: Values): Promise<"shown" | "waiting"> {
  for (const pauseMs of PAUSES_MS) {
    const { values } = await askWholeState(named);
    if (isSameState(values, wanted)) return "shown";
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return "waiting";
}
