/**
 * The box of filters completes the names and values of filters. The id of an invocation leads to the page of that invocation.
 * The address of the page keeps the filter.
 */
import type { JSX, RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { completions, unfinished, type Completion, type KnownNames } from "../../model/filter-completion.ts";
import { listHref, filterText, isOpenOnly, readFilter, type InvocationFilter } from "../../model/invocation-filter.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { FILTER_BOX_ID } from "./list-keys.ts";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { ask } from "../../data/api.ts";
import { addressOf } from "../../model/attention-rows.ts";
import { signal } from "@preact/signals";
import { goTo, route } from "../../data/location.ts";
import { hrefTo } from "../../model/route.ts";

const LIST_ID = "filter-completions";
const WHY_ID = "filter-why";
const NONE: KnownNames = { services: [], deployments: [] };

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

/** Loads the names once for the page. Without an answer, the filter box completes only fixed words, such as the statuses. */
function useKnownNames(): KnownNames {
  const [known, setKnown] = useState(NONE);
  useEffect(() => {
    const leaving = new AbortController();
    void loadNames(leaving.signal).then(setKnown, () => {});
    return () => leaving.abort();
  }, []);
  return known;
}

async function loadNames(signal: AbortSignal): Promise<KnownNames> {
  const [{ services }, { deployments }] = await Promise.all([
    ask<{ services: readonly ServiceBody[] }>("services", { signal }),
    ask<{ deployments: readonly DeploymentSummaryBody[] }>("deployments", { signal }),
  ]);
  return {
    services: services.map(({ name, handlers }) => ({ name, handlers: handlers.map((handler) => handler.name) })),
    deployments: deployments.map((one) => ({ id: one.id, address: addressOf(one) })),
  };
}

class FilterField {
  readonly text = signal("");
  /** The reason why the text is no filter. */
  readonly why = signal<string | undefined>(undefined);
  readonly chosen = signal<number | undefined>(undefined);
  readonly #isOpen = signal(false);
  readonly #caret = signal(0);
  readonly #box: RefObject<HTMLInputElement>;

  constructor(box: RefObject<HTMLInputElement>) {
    this.#box = box;
  }

  /** Shows the filter of the address. */
  show(text: string): void {
    this.text.value = text;
    this.why.value = undefined;
  }

  found(known: KnownNames): readonly Completion[] {
    return this.#isOpen.value ? completions(this.text.value, this.#caret.value, known) : [];
  }

  changed({ value, selectionStart }: HTMLInputElement): void {
    this.text.value = value;
    this.#caret.value = selectionStart ?? value.length;
    this.chosen.value = undefined;
    this.#isOpen.value = true;
  }

  close(): void {
    this.#isOpen.value = false;
  }

  apply(): void {
    this.close();
    const read = readFilter(this.text.peek());
    this.why.value = read.kind === "unclear" ? read.why : undefined;
    if (read.kind === "id") goTo(hrefTo("invocations", [read.id]));
    if (read.kind !== "filter") return;
    const isOldest = route.peek()?.query.get("order") === "oldest" && isOpenOnly(read.filter);
    goTo(listHref(read.filter, { order: isOldest ? "oldest" : undefined }));
  }

  /** Puts a completion in the place of the unfinished token; after a name, its values are offered. */
  take({ token, isName }: Completion): void {
    const [text, caret] = [this.text.peek(), this.#caret.peek()];
    const { begin } = unfinished(text, caret);
    const end = isName ? token : `${token} `;
    const at = begin + end.length;
    this.text.value = text.slice(0, begin) + end + text.slice(caret).trimStart();
    this.#caret.value = at;
    this.chosen.value = undefined;
    this.#isOpen.value = isName;
    // The next letter may come before the page is rendered again.
    const box = this.#box.current;
    if (box === null) return;
    box.value = this.text.peek();
    box.focus();
    box.setSelectionRange(at, at);
    this.#isOpen.value = isName;
  }

  onKeyDown(event: KeyboardEvent, found: readonly Completion[]): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const chosen = this.chosen.peek();
    if (step !== 0) {
      event.preventDefault();
      this.#isOpen.value = true;
      if (found.length === 0) return;
      this.chosen.value = ((chosen ?? (step > 0 ? -1 : 0)) + step + found.length) % found.length;
    } else if (event.key === "Escape") {
      if (this.#isOpen.peek()) this.close();
      else this.#box.current?.blur();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen !== undefined && found[chosen] !== undefined) {
      event.preventDefault();
      this.take(found[chosen]);
    }
  }
}
