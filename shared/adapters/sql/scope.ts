/** Decides what the names of one SELECT mean. */
import { SqlError } from "../../engine/ports/sql.ts";
import type { AggregateCall, WindowCall } from "./aggregates.ts";
import { read, type Term } from "./terms.ts";
import type { Type } from "./values.ts";

/** A table or a statement in FROM or a JOIN. Its columns get slots in the rows of the SELECT when an expression names them. */
export class Source {
  readonly alias: string;
  readonly columns: ReadonlyMap<string, Type>;
  /** The slots of the named columns. */
  readonly slots = new Map<string, number>();
  /** The columns whose cells the statement may read. */
  readonly needed = new Set<string>();
  readonly #onNeed: (name: string) => void;

  constructor(alias: string, columns: ReadonlyMap<string, Type>, onNeed: (name: string) => void = () => undefined) {
    this.alias = alias;
    this.columns = columns;
    this.#onNeed = onNeed;
  }

  need(name: string): void {
    if (this.needed.has(name)) return;
    this.needed.add(name);
    this.#onNeed(name);
  }
}

/** How an expression may use aggregates and windows: where one is allowed, its results get slots in the rows of the SELECT. */
export interface Allowed {
  readonly aggregates?: AggregateCall[];
  readonly windows?: WindowCall[];
  /** The meanings of names that are no columns, or that come before columns. */
  readonly aliases?: ReadonlyMap<string, Term>;
  readonly areAliasesFirst?: boolean;
}

export class Scope {
  readonly sources: Source[] = [];
  readonly outer: Scope | undefined;
  /** The terms of this scope that statements within its expressions name. */
  readonly captured: Term[] = [];
  #width = 0;

  constructor(outer?: Scope) {
    this.outer = outer;
  }

  /** The number of slots of a row. */
  get width(): number {
    return this.#width;
  }

  newSlot(): number {
    return this.#width++;
  }

  /** @throws SqlError for an unknown name, and for one that several sources have */
  column(table: string | undefined, name: string, allowed: Allowed = {}): Term {
    const alias =
      table === undefined ? (allowed.aliases?.get(name) ?? allowed.aliases?.get(name.toLowerCase())) : undefined;
    if (alias !== undefined && allowed.areAliasesFirst === true) return alias;
    const found = this.#find(table, name) ?? alias ?? this.outer?.fromWithin(table, name);
    if (found !== undefined) return found;
    throw this.#unknown(table, name);
  }

  /** The column as a statement inside an expression of this SELECT sees it; undefined if the name is unknown. */
  fromWithin(table: string | undefined, name: string): Term | undefined {
    const own = this.#find(table, name) ?? this.outer?.fromWithin(table, name);
    if (own === undefined) return undefined;
    this.captured.push(own);
    return outside(own);
  }

  #find(table: string | undefined, name: string): Term | undefined {
    const exact = this.#sourcesOf(table).flatMap((source) => (source.columns.has(name) ? [{ source, name }] : []));
    const small = name.toLowerCase();
    const fitting =
      exact.length > 0
        ? exact
        : this.#sourcesOf(table).flatMap((source) => (source.columns.has(small) ? [{ source, name: small }] : []));
    const [first, second] = fitting;
    if (second !== undefined)
      throw new SqlError(
        "unknown",
        `several tables have a column '${name}'; write ${fitting.map(({ source }) => `${source.alias}.${name}`).join(" or ")}`,
      );
    return first && this.termOf(first.source, first.name);
  }

  #sourcesOf(table: string | undefined): readonly Source[] {
    if (table === undefined) return this.sources;
    const exact = this.sources.filter(({ alias }) => alias === table);
    return exact.length > 0 ? exact : this.sources.filter(({ alias }) => alias.toLowerCase() === table.toLowerCase());
  }

  termOf(source: Source, name: string): Term {
    const slot = source.slots.get(name) ?? this.newSlot();
    source.slots.set(name, slot);
    return {
      ...slotTerm(slot, source.columns.get(name)!),
      form: { is: "column", source, name },
      need: () => source.need(name),
    };
  }

  /** The sources that `*` or `table.*` stands for. @throws SqlError for an unknown table */
  starred(table: string | undefined): readonly Source[] {
    const sources = this.#sourcesOf(table);
    if (sources.length === 0)
      throw new SqlError("unknown", `there is no table for ${table === undefined ? "" : `${table}.`}*`);
    return sources;
  }

  #unknown(table: string | undefined, name: string): SqlError {
    const names = this.sources.flatMap(({ alias, columns }) =>
      [...columns.keys()].map((column) => (this.sources.length > 1 ? `${alias}.${column}` : column)),
    );
    const known = names.length === 0 ? "" : `; there are ${names.slice(0, SHOWN_MAX).join(", ")}`;
    return new SqlError("unknown", `column '${table === undefined ? "" : `${table}.`}${name}' not found${known}`);
  }
}

export function slotTerm(slot: number, type: Type): Term {
  return { type, of: (row) => read(row[slot]), slot, parts: [], isFixed: false, isConstant: false };
}

const SHOWN_MAX = 80;

/** A term of the SELECT around, whose row is fixed while the inner statement runs. */
function outside(own: Term): Term {
  return {
    type: own.type,
    of: (_row, around) => own.of(around!.row, around!.around),
    parts: [],
    isFixed: true,
    isConstant: false,
  };
}
