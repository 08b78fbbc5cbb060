/** Conditions, with the values true, false and NULL: NOT, AND, OR, IS, LIKE, BETWEEN and IN. */
import { SqlError } from "../../engine/ports/sql.ts";
import { beside, cast, comparison, equatable, holder, mapped } from "./conversions.ts";
import { type Around, constant, constantOf, open, type Row, term, type Term } from "./terms.ts";
import { likeTest } from "./texts.ts";
import { hashKey, isList, type Known, textOf, type Type, type Value } from "./values.ts";

export interface InnerList {
  readonly type: Type;
  /** The terms of the statement around that the inner one names. */
  readonly parts: readonly Term[];
  /** True if the values are known before any row is read. */
  readonly isConstant: boolean;
  /** @throws Pending until the inner statement has run */
  readonly values: (row: Row, around: Around | undefined) => ListValues;
}

/** The values of an IN. */
export interface ListValues {
  readonly list: readonly Known[];
  readonly keys: ReadonlySet<Value>;
  readonly hasNull: boolean;
}

/** A longer list does not narrow a scan. */
const NARROWING_MAX = 1000;

export function negation(of: Term): Term {
  return { ...mapped(of, "boolean", (value) => value !== true), form: { is: "not", of } };
}

/** AND, or OR with `isEither`: a part that decides the result ends the computation, also if another part is NULL. */
export function conjunction(parts: readonly Term[], isEither: boolean): Term {
  return term(
    "boolean",
    parts,
    (row, around) => {
      let result: Value = !isEither;
      for (const { of } of parts) {
        const value = of(row, around);
        if (value === isEither) return isEither;
        if (value === null) result = null;
      }
      return result;
    },
    { form: { is: isEither ? "or" : "and", parts } },
  );
}

export function isTest(of: Term, test: "NULL" | "TRUE" | "FALSE", isNot: boolean): Term {
  const wanted = test === "NULL" ? null : test === "TRUE";
  const isIt: Term["of"] = (row, around) => (of.of(row, around) === wanted) !== isNot;
  return term("boolean", [of], isIt, test === "NULL" && !isNot ? { form: { is: "null", of } } : {});
}

export function like(left: Term, pattern: Term, ignoresCase: boolean): Term {
  const [text, signs] = [cast(left, "text"), cast(pattern, "text")];
  const folded = (one: Known): string => (ignoresCase ? textOf(one).toLowerCase() : textOf(one));
  const fixed = signs.isConstant ? constantOf(signs) : null;
  if (fixed !== null && !ignoresCase && !/[%_\\]/.test(textOf(fixed))) return comparison("=", text, signs);
  const known = fixed === null ? undefined : likeTest(folded(fixed));
  return term(
    "boolean",
    [text, signs],
    (row, around) => {
      const one = text.of(row, around);
      if (one === null) return null;
      const test = known ?? signs.of(row, around);
      if (test === null) return null;
      return (typeof test === "function" ? test : likeTest(folded(test)))(folded(one));
    },
    ignoresCase ? {} : { form: { is: "like", left: text, pattern: signs } },
  );
}

export function between(of: Term, low: Term, high: Term): Term {
  const { held, hold } = holder(timedLike(of, [low, high]));
  const tests = conjunction([comparison(">=", held, low), comparison("<=", held, high)], false);
  const parts = [comparison(">=", of, low), comparison("<=", of, high)];
  return term(
    "boolean",
    [of, low, high],
    (row, around) => {
      hold(of.of(row, around));
      return tests.of(row, around);
    },
    { form: { is: "and", parts } },
  );
}

/** A text of the statement that is compared with moments or durations is one of them. */
function timedLike(of: Term, others: readonly Term[]): Term {
  const timed = others.find(({ type }) => type === "moment" || type === "duration");
  return timed === undefined ? of : beside(of, timed.type);
}

/** `x IN (...)`: NULL if no value is equal, and `x` or a value is NULL. */
export function among(given: Term, items: readonly Term[]): Term {
  const of = timedLike(given, items);
  const pairs = items.map((item) => equatable(of, item));
  // Most lists are constant, and need no conversion of `of`, so that one lookup replaces a comparison with each value.
  if (pairs.every(([left, right]) => left.type === of.type && right.isConstant))
    return within(
      of,
      constantList(
        of.type,
        pairs.map(([, right]) => constantOf(right)),
      ),
    );
  const { held, hold } = holder(of);
  const tests = conjunction(
    items.map((item) => comparison("=", held, item)),
    true,
  );
  return term("boolean", [of, ...items], (row, around) => {
    hold(of.of(row, around));
    return tests.of(row, around);
  });
}

function constantList(type: Type, values: readonly Value[]): InnerList {
  const listed = listValues(values);
  return { type, parts: [], isConstant: true, values: () => listed };
}

export function listValues(values: readonly Value[]): ListValues {
  const list = values.filter((value) => value !== null);
  return { list, keys: new Set(list.map((value) => hashKey([value]))), hasNull: list.length < values.length };
}

export function within(given: Term, { type, parts, values, isConstant }: InnerList): Term {
  const sample: Term = { ...constant(null, type), isConstant: false };
  const [of, item] = equatable(given, sample);
  // The values of the list have the type of its column; a list of another type is compared as texts.
  const isText = of.type === "text" && item.type === "text" && type !== "text";
  const listed: InnerList["values"] = isText ? asTexts(values, type) : values;
  const valuesForScan = (around: Around | undefined): readonly Value[] | undefined => {
    if (!parts.every((part) => part.isFixed)) return undefined;
    const { list } = listed([], around);
    return list.length > NARROWING_MAX ? undefined : list;
  };
  const test: Term["of"] = (row, around) => {
    const { keys, hasNull } = listed(row, around);
    if (keys.size === 0 && !hasNull) return false;
    const value = of.of(row, around);
    if (value === null) return null;
    return keys.has(hashKey([value])) ? true : hasNull ? null : false;
  };
  const make = isConstant ? term : open;
  return { ...make("boolean", [of, ...parts], test), form: { is: "in", of, values: valuesForScan } };
}

function asTexts(values: InnerList["values"], type: Type): InnerList["values"] {
  let known: readonly [ListValues, ListValues] | undefined;
  return (row, around) => {
    const listed = values(row, around);
    if (known?.[0] !== listed)
      known = [
        listed,
        listValues([...listed.list.map((value) => textOf(value, type)), ...(listed.hasNull ? [null] : [])]),
      ];
    return known[1];
  };
}

export function amongElements(of: Term, array: Term): Term {
  if (!isList(array.type)) throw new SqlError("syntax", `= ANY takes a list or a query, and this is a ${array.type}`);
  const one = array.type === "texts" ? cast(of, "text") : of;
  return term("boolean", [one, array], (row, around) => {
    const [value, list] = [one.of(row, around), array.of(row, around)];
    return value === null || list === null ? null : (list as readonly Known[]).includes(value);
  });
}
