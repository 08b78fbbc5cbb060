/** The parts of a parsed statement. */

export type Literal = string | number | bigint | boolean | null | readonly string[] | readonly number[];

export interface SortItem {
  readonly expr: Expr;
  readonly isDescending: boolean;
  readonly areNullsFirst: boolean;
}

export interface Call {
  readonly type: "call";
  /** In upper case. */
  readonly name: string;
  readonly args: readonly Expr[];
  /** True for `count(*)`. */
  readonly isStar: boolean;
  readonly isDistinct: boolean;
  /** The order of an aggregate such as FIRST_VALUE. */
  readonly orderBy: readonly SortItem[];
  readonly filter?: Expr;
  readonly over?: { readonly partitionBy: readonly Expr[]; readonly orderBy: readonly SortItem[] };
}

export type Comparison = "=" | "<>" | "<" | "<=" | ">" | ">=";
export type Arithmetic = "+" | "-" | "*" | "/" | "%";
export type CastType = "text" | "integer" | "number" | "boolean" | "moment" | "duration";

export type Expr =
  /** `text` is the number as the statement writes it. */
  | { readonly type: "literal"; readonly value: Literal; readonly text?: string }
  | { readonly type: "interval"; readonly text: string }
  | { readonly type: "column"; readonly table?: string; readonly name: string }
  | Call
  | { readonly type: "negative"; readonly of: Expr }
  | { readonly type: "not"; readonly of: Expr }
  | { readonly type: "arithmetic"; readonly op: Arithmetic; readonly left: Expr; readonly right: Expr }
  | { readonly type: "comparison"; readonly op: Comparison; readonly left: Expr; readonly right: Expr }
  /** Flat, because a statement may have thousands of conditions. */
  | { readonly type: "and" | "or"; readonly parts: readonly Expr[] }
  | { readonly type: "like"; readonly left: Expr; readonly pattern: Expr; readonly ignoresCase: boolean }
  | { readonly type: "between"; readonly of: Expr; readonly low: Expr; readonly high: Expr }
  | { readonly type: "in"; readonly of: Expr; readonly list: readonly Expr[] | Query }
  /** `= ANY(...)` over the elements of an array. */
  | { readonly type: "any"; readonly of: Expr; readonly array: Expr }
  | { readonly type: "is"; readonly of: Expr; readonly test: "NULL" | "TRUE" | "FALSE"; readonly isNot: boolean }
  | {
      readonly type: "case";
      readonly of?: Expr;
      readonly whens: readonly (readonly [when: Expr, then: Expr])[];
      readonly otherwise?: Expr;
    }
  | { readonly type: "cast"; readonly of: Expr; readonly to: CastType }
  | { readonly type: "exists"; readonly query: Query }
  | { readonly type: "subquery"; readonly query: Query };

export type OutputItem =
  | { readonly type: "star"; readonly table?: string }
  | { readonly type: "output"; readonly expr: Expr; readonly alias?: string };

export type From =
  | { readonly type: "table"; readonly name: string; readonly alias: string }
  | { readonly type: "query"; readonly query: Query; readonly alias: string };

export interface Join {
  /** `comma` is a join whose equality is in WHERE. */
  readonly kind: "inner" | "left" | "right" | "full" | "comma";
  readonly from: From;
  readonly on?: Expr;
}

export interface Select {
  readonly type: "select";
  readonly isDistinct: boolean;
  readonly columns: readonly OutputItem[];
  readonly from?: From;
  readonly joins: readonly Join[];
  readonly where?: Expr;
  readonly groupBy: readonly Expr[];
  readonly having?: Expr;
}

export interface SetOperation {
  readonly type: "union" | "intersect" | "except";
  readonly isAll: boolean;
  readonly left: Query;
  readonly right: Query;
}

/** A SELECT, or a set of two queries, with what stands around it. */
export interface Query {
  readonly names: readonly { readonly name: string; readonly query: Query }[];
  readonly body: Select | SetOperation;
  readonly orderBy: readonly SortItem[];
  readonly limit?: number;
  readonly offset: number;
}

export interface Statement {
  readonly query: Query;
  /** The table that a DESCRIBE names. */
  readonly described?: string;
}
