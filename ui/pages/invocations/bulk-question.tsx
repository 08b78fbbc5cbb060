/** The question before a change of many invocations: their number, the filter, five examples, and the consequence. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type BulkChange, TYPED_ABOVE } from "../../model/bulk-changes.ts";
import { filterText, type InvocationFilter } from "../../model/invocation-filter.ts";
import { countText } from "../../model/size-text.ts";
import { shortened } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import type { BulkScope } from "./bulk-bar.tsx";
import type { Matching } from "./bulk-requests.ts";

export interface BulkQuestionProps {
  readonly change: BulkChange;
  readonly scope: BulkScope;
  readonly filter: InvocationFilter;
  readonly matching: Matching;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

const SAMPLES = 5;
const ID_CHARS = 17;

export function BulkQuestion({ change, scope, filter, matching, onYes, onNo }: BulkQuestionProps): JSX.Element {
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
