/** Judges an await against the notifications that its handler has not seen (I5). */
import { type Await, type Fresh, isSatisfied, namesAny, type ResultKind } from "../model/await-tree.ts";
import type { NotificationEntry } from "./entry.ts";

/** The outcomes of the fresh notifications, by the names that an await uses. The first notification of a name counts. */
export class Freshness {
  readonly #completions = new Map<number, ResultKind>();
  readonly #signals = new Map<number, ResultKind>();
  readonly #namedSignals = new Map<string, ResultKind>();

  constructor(entries: readonly NotificationEntry[]) {
    for (const entry of entries) this.add(entry);
  }

  add({ id, failed }: NotificationEntry): void {
    const outcome = failed ? "failure" : "success";
    if ("completionId" in id) noteFirst(this.#completions, id.completionId, outcome);
    else if ("index" in id) noteFirst(this.#signals, id.index, outcome);
    else noteFirst(this.#namedSignals, id.name, outcome);
  }

  sleepOver(completionId: number): void {
    noteFirst(this.#completions, completionId, "success");
  }

  satisfies(awaiting: Await): boolean {
    return isSatisfied(awaiting, this.#outcomes);
  }

  /** @returns true if the await names at least one of the notifications */
  isNamedIn(awaiting: Await): boolean {
    return namesAny(awaiting, this.#outcomes);
  }

  get #outcomes(): Fresh {
    return { completions: this.#completions, signals: this.#signals, namedSignals: this.#namedSignals };
  }
}

function noteFirst<K>(outcomes: Map<K, ResultKind>, id: K, outcome: ResultKind): void {
  if (!outcomes.has(id)) outcomes.set(id, outcome);
}
