/**
 * Gives the optional side of a LEFT JOIN a row that equals no other. The SQL engine learns the columns of this side from the
 * rows of this side, and without a row it knows none of them. Every JOIN must have an equality, so the added row never matches
 * and is not in the result.
 */
import type { SelectStatement, WithStatement } from "squirreling";
import type { Brought, Source } from "./scope.ts";
import { ONE_ROW_TABLE } from "./sources.ts";

/** No text of a table or of a statement is equal to this one. */
export const NOTHING_EQUALS = "\u0000";

/** The source of the row that equals no other. */
export const ONE_ROW_SOURCE: Source = {
  key: ONE_ROW_TABLE.shape.name,
  table: ONE_ROW_TABLE,
  narrowing: new Map(),
  isOptional: false,
};

type Definition = WithStatement["ctes"][number];

export function nameWithNothing(name: string): string {
  return `${name.toLowerCase()}_or_nothing`;
}

/** @returns a second definition, which has the rows of the first one and the row that equals no other */
export function withNothing({ name, positionStart, positionEnd }: Definition, types: Brought["types"]): Definition {
  const place = { positionStart, positionEnd };
  const select: Pick<SelectStatement, "distinct" | "joins" | "groupBy" | "orderBy"> = {
    distinct: false,
    joins: [],
    groupBy: [],
    orderBy: [],
  };
  const nothing = [...types.keys()].map((alias) => ({
    ...place,
    type: "derived" as const,
    expr: { ...place, type: "literal" as const, value: NOTHING_EQUALS },
    alias,
  }));
  const named = [...types.keys()].map((column) => ({
    ...place,
    type: "derived" as const,
    expr: { ...place, type: "identifier" as const, name: column },
  }));
  const from = (table: string) => ({ ...place, type: "table" as const, table });
  return {
    ...place,
    name: nameWithNothing(name),
    query: {
      ...place,
      type: "compound",
      operator: "UNION",
      all: true,
      left: { ...place, ...select, type: "select", columns: named, from: from(name) },
      right: { ...place, ...select, type: "select", columns: nothing, from: from(ONE_ROW_SOURCE.key) },
      orderBy: [],
    },
  };
}
