/** The dialog of a change of many invocations: the search, the question, the progress, the result. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { progressText, TYPED_ABOVE, type BulkChange, type BulkProgress } from "../../model/bulk-changes.ts";
import { filterText, type InvocationFilter } from "../../model/invocation-filter.ts";
import { countText } from "../../model/size-text.ts";
import { ProblemBox } from "../../parts/states.tsx";
import { BulkRun, type BulkScope, type BulkStage, type Matching } from "./bulk-run.ts";
import type { InvocationList } from "./invocation-list.ts";
import { shortened } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";

const SAMPLES = 5;
const REFUSALS_MAX = 20;
const ID_CHARS = 17;

interface BulkDialogProps {
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
    if (unchanged.size === 0) list.selectNone();
    else list.selectOnly(unchanged);
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

interface BulkQuestionProps {
  readonly change: BulkChange;
  readonly scope: BulkScope;
  readonly filter: InvocationFilter;
  readonly matching: Matching;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

function BulkQuestion({ change, scope, filter, matching, onYes, onNo }: BulkQuestionProps): JSX.Element {
  const { rows, mayHaveMore } = matching;
  const [typed, setTyped] = useState("");
  const count = rows.length;
  const needsNumber = count > TYPED_ABOVE;
  const refusal = whyNot(change, matching);
  const isReady = count > 0 && refusal === undefined && (!needsNumber || typed.replace(/[,\s]/g, "") === String(count));
  return (
    <form
      class="bulk-question"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onYes();
      }}
    >
      <p>
        <strong class="number">
          {mayHaveMore && "At least "}
          {countText(count)} {count === 1 ? "invocation" : "invocations"}
        </strong>
        {scope.kind === "matching" ? (
          <MatchWords filter={filter} />
        ) : (
          <LeftOut scope={scope} count={count} change={change} />
        )}
      </p>
      <Samples matching={matching} />
      <p>{change.consequence}</p>
      {mayHaveMore && refusal === undefined && (
        <p class="dim">A run changes at most {countText(count)}: run it again for the rest.</p>
      )}
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {needsNumber && refusal === undefined && (
        <label class="bulk-number">
          Type the number {count} to go on{" "}
          <input
            type="text"
            inputMode="numeric"
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      )}
      <div class="buttons">
        <button type="button" onClick={onNo}>
          {count === 0 ? "Close" : "Change nothing"}
        </button>
        {count > 0 && (
          <button type="submit" class={change.isDangerous ? "danger" : "primary"} disabled={!isReady}>
            {change.verb} {countText(count)}
          </button>
        )}
      </div>
    </form>
  );
}

/** A restarted invocation still matches, so a second run for the rest would restart it again. */
function whyNot(change: BulkChange, { mayHaveMore }: Matching): string | undefined {
  if (change.name !== "restart" || !mayHaveMore) return undefined;
  return "A second run for the rest would restart these again, because a restarted invocation still matches. Narrow the filter first.";
}

function MatchWords({ filter }: { readonly filter: InvocationFilter }): JSX.Element {
  const text = filterText(filter);
  return (
    <>
      {" "}
      that match{" "}
      <code class="mono">
        <ForeignText text={text === "" ? "no filter: all of them" : text} maxChars={160} />
      </code>
    </>
  );
}

interface LeftOutProps {
  readonly scope: BulkScope & { readonly kind: "selected" };
  readonly count: number;
  readonly change: BulkChange;
}

function LeftOut({ scope, count, change }: LeftOutProps): JSX.Element {
  const left = scope.rows.length - count;
  if (left === 0) return <> of your selection</>;
  return (
    <>
      {" "}
      of the {countText(scope.rows.length)} selected; {countText(left)} cannot be {change.done.toLowerCase()} as{" "}
      {left === 1 ? "it is" : "they are"}
    </>
  );
}

function Samples({ matching: { rows } }: { readonly matching: Matching }): JSX.Element | null {
  if (rows.length === 0) return null;
  const more = rows.length - SAMPLES;
  return (
    <ul class="samples">
      {rows.slice(0, SAMPLES).map(({ id, target, status, outcome }) => (
        <li key={id}>
          <StatusMark status={status} outcome={outcome} />
          <ForeignText text={target} maxChars={48} />
          <span class="mono dim" title={id}>
            {shortened(id, ID_CHARS)}
          </span>
        </li>
      ))}
      {more > 0 && <li class="dim">and {countText(more)} more</li>}
    </ul>
  );
}

interface BulkProgressProps {
  readonly change: BulkChange;
  readonly stage: Extract<BulkStage, { readonly progress: BulkProgress }>;
  readonly onStop: () => void;
}

function BulkProgressView({ change, stage, onStop }: BulkProgressProps): JSX.Element {
  const { kind, progress, matching } = stage;
  const { total, left, refused } = progress;
  const isRunning = kind !== "ended";
  return (
    <>
      <progress aria-label="Progress" max={total} value={total - left.length} />
      <p role="status">{progressText(change, progress)}</p>
      {!isRunning && left.length > 0 && (
        <p>The {countText(left.length)} that are left stay selected if they are loaded.</p>
      )}
      {!isRunning && matching.mayHaveMore && <p>More match: run the change again for the rest.</p>}
      {refused.length > 0 && (
        <>
          <p>Refused, and still selected:</p>
          <ul class="refusals">
            {refused.slice(0, REFUSALS_MAX).map(({ id, message }) => (
              <li key={id}>
                <span class="mono" title={id}>
                  {shortened(id, ID_CHARS)}
                </span>{" "}
                <ForeignText text={message ?? "the server did not answer for it"} maxChars={300} />
              </li>
            ))}
            {refused.length > REFUSALS_MAX && <li class="dim">and {countText(refused.length - REFUSALS_MAX)} more</li>}
          </ul>
        </>
      )}
      {isRunning && (
        <div class="buttons">
          <button type="button" disabled={kind === "stopping"} onClick={onStop}>
            {kind === "stopping" ? "Stopping after this batch …" : "Stop"}
          </button>
        </div>
      )}
    </>
  );
}
