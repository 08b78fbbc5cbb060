/** The state of the box of filters: its text, the completions at the caret, and the effect of Enter. */
import { signal } from "@preact/signals";
import type { RefObject } from "preact";
import { goTo, route } from "../../data/location.ts";
import { type Completion, completions, type KnownNames, unfinished } from "../../model/filter-completion.ts";
import { filterQuery, isOpenOnly, readFilter } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";

export class FilterField {
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
    goTo(hrefTo("invocations", [], { ...filterQuery(read.filter), order: isOldest ? "oldest" : undefined }));
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
