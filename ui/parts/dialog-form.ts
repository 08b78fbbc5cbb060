/** The form of a dialog, and the stage of the request that the dialog sends with the form. */
import { useRef, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../data/api.ts";

/** @template Later the stages after an answer of the server, each with a kind of its own */
export type FormStage<Later> =
  | { readonly kind: "form"; readonly problem?: ApiProblem }
  | { readonly kind: "busy"; readonly words: string; readonly isCommit: boolean }
  | Later;

export interface DialogForm<Form, Later> {
  readonly form: Form;
  readonly stage: FormStage<Later>;
  /** A change is under way: the fields are locked, because its answer belongs to the form as it was sent. */
  readonly isLocked: boolean;
  /** Changes the form, and drops what the server said about the former one. */
  readonly change: (changes: Partial<Form>) => void;
  /** Asks about the form with the given changes. The answer is dropped if the form changes before the answer comes. */
  readonly check: (words: string, act: (form: Form) => Promise<Later>, changes?: Partial<Form>) => void;
  /** Lets the server make the change. */
  readonly commit: (words: string, act: (form: Form) => Promise<Later>) => void;
}

export function useDialogForm<Form extends object, Later>(first: Form | (() => Form)): DialogForm<Form, Later> {
  const [form, setForm] = useState<Form>(first);
  const [stage, setStage] = useState<FormStage<Later>>({ kind: "form" });
  /** Counts requests and changes of the form; only the answer to the last request is shown. */
  const turn = useRef(0);
  const run = async (words: string, isCommit: boolean, act: () => Promise<Later>): Promise<void> => {
    const own = ++turn.current;
    const show = (next: FormStage<Later>): void => {
      if (turn.current === own) setStage(next);
    };
    show({ kind: "busy", words, isCommit });
    try {
      show(await act());
    } catch (error) {
      show({ kind: "form", problem: problemOf(error) });
    }
  };
  const changed = (changes: Partial<Form>): Form => {
    const next = { ...form, ...changes };
    setForm(next);
    return next;
  };
  return {
    form,
    stage,
    isLocked: isCommitting(stage),
    change(changes) {
      turn.current++;
      changed(changes);
      setStage({ kind: "form" });
    },
    check(words, act, changes = {}) {
      const asked = changed(changes);
      void run(words, false, () => act(asked));
    },
    commit: (words, act) => void run(words, true, () => act(form)),
  };
}

function isCommitting<Later>(stage: FormStage<Later>): boolean {
  return typeof stage === "object" && stage !== null && "isCommit" in stage && stage.isCommit;
}
