/** The dialog of a change of many invocations: the search, the question, the progress, the result. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { BulkChange } from "../../model/bulk-changes.ts";
import type { InvocationFilter } from "../../model/invocation-filter.ts";
import { countText } from "../../model/size-text.ts";
import { ProblemBox } from "../../parts/states.tsx";
import type { BulkScope } from "./bulk-bar.tsx";
import { BulkProgressView } from "./bulk-progress.tsx";
import { BulkQuestion } from "./bulk-question.tsx";
import type { Matching } from "./bulk-requests.ts";
import { BulkRun } from "./bulk-run.ts";
import type { InvocationList } from "./invocation-list.ts";
import { selectNone, selectOnly } from "./row-selection.ts";

export interface BulkDialogProps {
  readonly change: BulkChange;
  readonly scope: BulkScope;
  readonly list: InvocationList;
  readonly filter: InvocationFilter;
  /** @param hasRun whether the change was carried out, at least for some of the invocations */
  readonly onClose: (hasRun: boolean) => void;
}

export function BulkDialog({ change, scope, list, filter, onClose }: BulkDialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const run = useMemo(() => new BulkRun(change, scope, filter), []);
  useEffect(() => {
    dialog.current?.showModal();
    if (scope.kind === "matching") void run.find();
    return () => run.stop();
  }, []);
  const close = (): void => dialog.current?.close();
  const go = async (matching: Matching): Promise<void> => {
    const unchanged = await run.run(matching);
    if (unchanged.size === 0) selectNone(list);
    else selectOnly(list, unchanged);
  };
  const stage = run.stage.value;
  const problem = run.problem.value;
  const isBusy = stage.kind === "running" || stage.kind === "stopping";
  return (
    <dialog
      ref={dialog}
      class="dialog bulk-dialog"
      aria-labelledby="bulk-title"
      onCancel={(event) => isBusy && event.preventDefault()}
      onClose={() => onClose(run.stage.peek().kind === "ended")}
    >
      <h2 id="bulk-title">{change.verb} invocations</h2>
      {stage.kind === "finding" && problem === undefined && (
        <p role="status">Looking for invocations that match: {countText(stage.found)} found …</p>
      )}
      {stage.kind === "asking" && (
        <BulkQuestion
          change={change}
          scope={scope}
          filter={run.filter}
          matching={stage.matching}
          onYes={() => void go(stage.matching)}
          onNo={close}
        />
      )}
      {"progress" in stage && <BulkProgressView change={change} stage={stage} onStop={() => run.stop()} />}
      {problem !== undefined && (
        <ProblemBox problem={problem} {...(stage.kind === "finding" && { onRetry: () => void run.find() })} />
      )}
      {(stage.kind === "ended" || stage.kind === "finding") && (
        <div class="buttons">
          <button type="button" onClick={close}>
            {stage.kind === "ended" ? "Close" : "Cancel"}
          </button>
        </div>
      )}
    </dialog>
  );
}
