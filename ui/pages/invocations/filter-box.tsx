/**
 * The box of filters completes the names and values of filters. The id of an invocation leads to the page of that invocation.
 * The address of the page keeps the filter.
 */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Completion } from "../../model/filter-completion.ts";
import { filterText, type InvocationFilter } from "../../model/invocation-filter.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { FilterField } from "./filter-field.ts";
import { FILTER_BOX_ID } from "./list-keys.ts";
import { useKnownNames } from "./known-names.ts";

const LIST_ID = "filter-completions";
const WHY_ID = "filter-why";

export function FilterBox({ filter }: { readonly filter: InvocationFilter }): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  const field = useMemo(() => new FilterField(box), []);
  const applied = filterText(filter);
  useEffect(() => field.show(applied), [applied]);
  const known = useKnownNames();
  const found = field.found(known);
  const chosen = field.chosen.value;
  const why = field.why.value;
  return (
    <form
      class="filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        field.apply();
      }}
    >
      <label for={FILTER_BOX_ID}>Filter</label>
      <div class="filter-field">
        <input
          ref={box}
          id={FILTER_BOX_ID}
          type="text"
          class="mono"
          role="combobox"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder='status:paused service:Cart key:"a b" age:>1h, or an id'
          aria-expanded={found.length > 0}
          aria-controls={LIST_ID}
          aria-autocomplete="list"
          aria-activedescendant={chosen === undefined ? undefined : `${LIST_ID}-${chosen}`}
          aria-invalid={why !== undefined}
          aria-describedby={why === undefined ? undefined : WHY_ID}
          value={field.text.value}
          onInput={({ currentTarget }) => field.changed(currentTarget)}
          onFocus={({ currentTarget }) => field.changed(currentTarget)}
          onBlur={() => field.close()}
          onKeyDown={(event) => field.onKeyDown(event, field.found(known))}
        />
        <Completions found={found} chosen={chosen} onTake={(one) => field.take(one)} />
      </div>
      <button type="submit">Show</button>
      {why !== undefined && (
        <p id={WHY_ID} class="filter-why" role="alert">
          {visibleLine(why)}
        </p>
      )}
    </form>
  );
}

interface CompletionsProps {
  readonly found: readonly Completion[];
  readonly chosen: number | undefined;
  readonly onTake: (completion: Completion) => void;
}

function Completions({ found, chosen, onTake }: CompletionsProps): JSX.Element {
  return (
    <ul id={LIST_ID} role="listbox" aria-label="Completions" class="completions" hidden={found.length === 0}>
      {found.map((one, at) => (
        <li
          key={one.token}
          id={`${LIST_ID}-${at}`}
          role="option"
          aria-selected={at === chosen}
          onMouseDown={(event) => {
            // The box keeps the focus.
            event.preventDefault();
            onTake(one);
          }}
        >
          <bdi class="mono">{visibleLine(one.token)}</bdi>
          {one.note !== undefined && <bdi class="dim">{visibleLine(one.note)}</bdi>}
        </li>
      ))}
    </ul>
  );
}
