/** Evaluates queries of Prometheus over a sample. It knows the part of the language that the alerts use, and refuses every other. */

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Moments in seconds with values, the earliest first. */
  readonly points: readonly (readonly [atS: number, value: number])[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A number has no labels, and combines with every sample. */
type Value = number | readonly Sample[];

interface Reader {
  readonly words: readonly string[];
  at: number;
  readonly series: readonly Series[];
  readonly nowS: number;
}

/** Prometheus looks this far back for the last value of a series. */
const LOOK_BACK_S = 300;
const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const WORD = /\s*(\[\d+[smhd]\]|"[^"]*"|[a-zA-Z_:][\w:]*|\d+(?:\.\d+)?|==|[<>=(){},\-/])/y;
const AGGREGATIONS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  max: (values) => Math.max(...values),
  sum: (values) => values.reduce((one, other) => one + other, 0),
};

/** @returns the samples for which the query holds at the moment @throws Error for a query that this evaluation does not know */
export function evaluated(query: string, series: readonly Series[], nowS: number): readonly Sample[] {
  const reader: Reader = { words: wordsOf(query), at: 0, series, nowS };
  const value = comparison(reader);
  if (reader.at < reader.words.length || typeof value === "number") throw new Error(`not understood: ${query}`);
  return value;
}

function wordsOf(query: string): readonly string[] {
  const words: string[] = [];
  for (WORD.lastIndex = 0; WORD.lastIndex < query.length;) {
    const at = WORD.lastIndex;
    const word = WORD.exec(query)?.[1];
    if (word === undefined) throw new Error(`an unknown character at ${at}: ${query}`);
    words.push(word);
  }
  return words;
}

function take(reader: Reader, expected?: string): string {
  const word = reader.words[reader.at++];
  if (word === undefined || (expected !== undefined && word !== expected))
    throw new Error(`${word ?? "the end"} in place of ${expected ?? "a word"}`);
  return word;
}

function comparison(reader: Reader): Value {
  const left = arithmetic(reader);
  const operator = reader.words[reader.at] ?? "";
  if (!["<", ">", "=="].includes(operator)) return left;
  take(reader);
  const right = arithmetic(reader);
  if (typeof left === "number" || typeof right !== "number") throw new Error("only samples are compared with a number");
  const holds = (value: number): boolean =>
    operator === ">" ? value > right : operator === "<" ? value < right : value === right;
  return left.filter(({ value }) => holds(value));
}

function arithmetic(reader: Reader): Value {
  const left = operand(reader);
  const operator = reader.words[reader.at] ?? "";
  if (operator !== "/" && operator !== "-") return left;
  take(reader);
  const apply = (one: number, other: number): number => (operator === "/" ? one / other : one - other);
  return combined(left, operand(reader), apply);
}

function combined(left: Value, right: Value, apply: (one: number, other: number) => number): Value {
  if (typeof left === "number" && typeof right === "number") return apply(left, right);
  if (typeof left === "number")
    return (right as readonly Sample[]).map(({ labels, value }) => ({ labels, value: apply(left, value) }));
  if (typeof right === "number") return left.map(({ labels, value }) => ({ labels, value: apply(value, right) }));
  return left.flatMap(({ labels, value }) => {
    const other = right.find((one) => keyOf(one.labels) === keyOf(labels));
    return other === undefined ? [] : [{ labels, value: apply(value, other.value) }];
  });
}

function operand(reader: Reader): Value {
  const word = take(reader);
  if (/^\d/.test(word)) return Number(word);
  if (word === "time") {
    take(reader, "(");
    take(reader, ")");
    return reader.nowS;
  }
  if (word in AGGREGATIONS) return aggregated(reader, AGGREGATIONS[word]!);
  if (word === "rate" || word === "increase") return grown(reader, word === "rate");
  const selected = selection(reader, word);
  return selected.flatMap(({ labels, points }) => {
    const last = points.findLast(([atS]) => atS <= reader.nowS && atS > reader.nowS - LOOK_BACK_S);
    return last === undefined ? [] : [{ labels, value: last[1] }];
  });
}

function aggregated(reader: Reader, join: (values: readonly number[]) => number): readonly Sample[] {
  take(reader, "by");
  take(reader, "(");
  const names: string[] = [];
  for (let word = take(reader); word !== ")"; word = take(reader)) if (word !== ",") names.push(word);
  take(reader, "(");
  const samples = comparison(reader);
  take(reader, ")");
  if (typeof samples === "number") throw new Error("a number cannot be grouped");
  const groups = new Map<string, { readonly labels: Sample["labels"]; readonly values: number[] }>();
  for (const { labels, value } of samples) {
    const kept = Object.fromEntries(names.flatMap((name) => (name in labels ? [[name, labels[name]!]] : [])));
    const group = groups.get(keyOf(kept)) ?? { labels: kept, values: [] };
    groups.set(keyOf(kept), group);
    group.values.push(value);
  }
  return [...groups.values()].map(({ labels, values }) => ({ labels, value: join(values) }));
}

/** The growth of counters in the window, without the stretching to its ends that Prometheus does. A lower value is a restart. */
function grown(reader: Reader, isRate: boolean): readonly Sample[] {
  take(reader, "(");
  const selected = selection(reader, take(reader));
  const [, count = "", unit = ""] = /^\[(\d+)([smhd])\]$/.exec(take(reader)) ?? [];
  const windowS = Number(count) * UNIT_S[unit]!;
  take(reader, ")");
  return selected.flatMap(({ labels, points }) => {
    const seen = points.filter(([atS]) => atS <= reader.nowS && atS >= reader.nowS - windowS).map(([, value]) => value);
    if (seen.length < 2) return [];
    const growth = seen.slice(1).map((value, at) => (value < seen[at]! ? value : value - seen[at]!));
    const sum = growth.reduce((one, other) => one + other, 0);
    return [{ labels, value: isRate ? sum / windowS : sum }];
  });
}

function selection(reader: Reader, name: string): readonly Series[] {
  const wanted: (readonly [string, string])[] = [];
  if (reader.words[reader.at] === "{") {
    take(reader);
    for (let word = take(reader); word !== "}"; word = take(reader)) {
      if (word === ",") continue;
      take(reader, "=");
      wanted.push([word, take(reader).slice(1, -1)]);
    }
  }
  return reader.series.filter(
    (one) => one.name === name && wanted.every(([label, text]) => one.labels[label] === text),
  );
}

function keyOf(labels: Sample["labels"]): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
