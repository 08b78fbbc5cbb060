/** The kinds of settings. Each parses and checks a raw value, which is a text or a value of TOML. */
import { parseDurationMs } from "../core/model/duration.ts";

const INTERVAL_MIN_MS = 10;
/** Matches PEM, and the beginning of an Ed25519 private key in base64. */
const KEY_ITSELF = /-----BEGIN|^\s*MC4CAQAwBQYDK2Vw/;

export type SettingKind = "flag" | "duration" | "size" | "number" | "text" | "choice";

/** One line of the settings table. */
export interface Setting<Value> {
  readonly kind: SettingKind;
  /** The default as text; empty if the setting has none. */
  readonly fallbackText: string;
  readonly doc: string;
  /** The values of a choice. */
  readonly choices?: readonly string[];
  readonly fallback: Value;
  /** @returns undefined if the value is invalid */
  read(raw: unknown): { readonly value: Value } | undefined;
  /** The valid form, for the message of a refusal. */
  readonly expected: string;
  /** Present if the value may be a secret: a refusal then does not repeat the value. */
  readonly mayBeSecret?: true;
  /** Present if the value is a secret as a whole: `--dump-config` shows nothing of it. */
  readonly isSecret?: true;
  /** Present if the setting reads a text, such as the value of a variable or a flag, as TOML or as JSON. */
  readonly textIsToml?: true;
  /** Other names of the setting; an earlier name wins over a later one. */
  readonly aliases?: readonly Alias[];
}

/** The name of a setting in the configuration of the reference server. */
export interface Alias {
  readonly name: string;
  /** Converts a value of the reference; undefined if there is no equal value here. Absent if no value needs a conversion. */
  readonly translate?: (raw: unknown) => unknown;
}

/** The same setting with further names. A value means the same under each name, unless the alias translates it. */
export function also<Value>(setting: Setting<Value>, ...aliases: readonly (Alias | string)[]): Setting<Value> {
  return { ...setting, aliases: aliases.map((alias) => (typeof alias === "string" ? { name: alias } : alias)) };
}

/** A whole number of milliseconds; a bare number is refused, because its unit would be a guess. */
export function duration(fallbackText: string, doc: string): Setting<number> {
  return required(optionalDuration(doc), fallbackText);
}

/** A duration between repetitions; zero would be an endless loop. */
export function interval(fallbackText: string, doc: string): Setting<number> {
  const any = duration(fallbackText, doc);
  const expected = "a duration from 10ms, such as 500ms, 1m 30s or PT1M30S";
  const read: typeof any.read = (raw) => {
    const given = any.read(raw);
    return given !== undefined && given.value >= INTERVAL_MIN_MS ? given : undefined;
  };
  return { ...any, expected, read };
}

export function optionalDuration(doc: string): Setting<number | undefined> {
  return {
    kind: "duration",
    fallbackText: "",
    fallback: undefined,
    doc,
    expected: "a duration such as 500ms, 1m 30s or PT1M30S",
    read: (raw) => valued(typeof raw === "string" ? durationMs(raw) : undefined),
  };
}

/** Unlike a duration in a request, a setting may have capital letters, and its units in any order. */
function durationMs(text: string): number | undefined {
  return parseDurationMs(text.trim().toLowerCase(), { anyOrder: true });
}

/** A whole number of bytes. */
export function size(fallbackText: string, doc: string): Setting<number> {
  return required(optionalSize(doc), fallbackText);
}

export function optionalSize(doc: string): Setting<number | undefined> {
  return {
    kind: "size",
    fallbackText: "",
    fallback: undefined,
    doc,
    expected: "a size such as 32MiB or 4096",
    read: (raw) => valued(typeof raw === "string" || typeof raw === "number" ? sizeBytes(String(raw)) : undefined),
  };
}

/** A size with a minimum, below which the product does not work. */
export function sizeFrom(minText: string, fallbackText: string, doc: string): Setting<number> {
  const any = size(fallbackText, doc);
  const min = sizeBytes(minText)!;
  const read: typeof any.read = (raw) => {
    const given = any.read(raw);
    return given !== undefined && given.value >= min ? given : undefined;
  };
  return { ...any, expected: `a size from ${minText}, such as ${fallbackText}`, read };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

export function port(fallbackText: string, doc: string): Setting<number> {
  return required(bounded(doc, "a port from 0 to 65535", { min: 0, max: 65_535, whole: true }), fallbackText);
}

export function factor(fallbackText: string, doc: string): Setting<number> {
  return required(bounded(doc, "a number from 1 to 1000", { min: 1, max: 1000, whole: false }), fallbackText);
}

export function count(fallbackText: string, doc: string): Setting<number> {
  const bounds = { min: 1, max: 1_000_000, whole: true };
  return required(bounded(doc, "a whole number from 1 to 1000000", bounds), fallbackText);
}

/** A whole number of a closed range, such as a version. */
export function wholeWithin(
  fallbackText: string,
  doc: string,
  bounds: { readonly min: number; readonly max: number },
): Setting<number> {
  const expected = `a whole number from ${bounds.min} to ${bounds.max}`;
  return required(bounded(doc, expected, { ...bounds, whole: true }), fallbackText);
}

/** `unlimited` reads as undefined. */
export function countOrUnlimited(fallbackText: string, doc: string): Setting<number | undefined> {
  const count = bounded(doc, "a whole number from 1, or unlimited", { min: 1, max: 2 ** 31, whole: true });
  return {
    ...count,
    fallbackText,
    fallback: fallbackText === "unlimited" ? undefined : Number(fallbackText),
    read: (raw) => (raw === "unlimited" ? { value: undefined } : count.read(raw)),
  };
}

/** `share` sets no fixed number: the limit then depends on how many slots are still free. */
export function countOrShare(doc: string): Setting<number | "share"> {
  const count = bounded(doc, "a whole number from 1, or share", { min: 1, max: 1_000_000, whole: true });
  return {
    ...count,
    fallbackText: "share",
    fallback: "share",
    read: (raw) => (raw === "share" ? { value: "share" } : (count.read(raw) as { readonly value: number } | undefined)),
  };
}

export function text(fallback: string, doc: string): Setting<string> {
  return {
    kind: "text",
    fallbackText: fallback,
    fallback,
    doc,
    expected: "a text that is not empty",
    read: (raw) => (typeof raw === "string" && raw !== "" ? { value: raw } : undefined),
  };
}

export function optionalText(doc: string): Setting<string | undefined> {
  return { ...text("", doc), fallback: undefined };
}

/** The path of a private key file; a key given in its place must not appear in a message. */
export function optionalKeyFile(doc: string): Setting<string | undefined> {
  const any = optionalText(doc);
  return {
    ...any,
    mayBeSecret: true,
    expected: "the path of a file that holds the key",
    read: (raw) => (typeof raw === "string" && KEY_ITSELF.test(raw) ? undefined : any.read(raw)),
  };
}

/** @param form the form of the secret, which takes linear time */
export function secretText(doc: string, form: RegExp, expected: string): Setting<string | undefined> {
  return {
    ...optionalText(doc),
    mayBeSecret: true,
    isSecret: true,
    expected,
    read: (raw) => (typeof raw === "string" && form.test(raw) ? { value: raw } : undefined),
  };
}

export function choice<const Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
  doc: string,
): Setting<Choice> {
  return {
    kind: "choice",
    fallbackText: choices[0],
    fallback: choices[0],
    doc,
    choices,
    expected: `one of ${choices.join(", ")}`,
    read(raw) {
      const lower = typeof raw === "string" ? raw.toLowerCase() : undefined;
      const chosen = choices.find((one) => one === lower);
      return chosen === undefined ? undefined : { value: chosen };
    },
  };
}

export function flag(fallbackText: "true" | "false", doc: string): Setting<boolean> {
  return {
    kind: "flag",
    fallbackText,
    fallback: fallbackText === "true",
    doc,
    expected: "true or false",
    read(raw) {
      if (typeof raw === "boolean") return { value: raw };
      const lower = typeof raw === "string" ? raw.toLowerCase() : undefined;
      return lower === "true" || lower === "false" ? { value: lower === "true" } : undefined;
    },
  };
}

function bounded(doc: string, expected: string, { min, max, whole }: Bounds): Setting<number | undefined> {
  return {
    kind: "number",
    fallbackText: "",
    fallback: undefined,
    doc,
    expected,
    read(raw) {
      if (typeof raw !== "number" && !(typeof raw === "string" && /^\d+(\.\d+)?$/.test(raw))) return undefined;
      const value = Number(raw);
      return value >= min && value <= max && (!whole || Number.isInteger(value)) ? { value } : undefined;
    },
  };
}

function valued<Value>(value: Value | undefined): { readonly value: Value } | undefined {
  return value === undefined ? undefined : { value };
}

/** The same setting with a default. */
function required(setting: Setting<number | undefined>, fallbackText: string): Setting<number> {
  const read = (raw: unknown): { readonly value: number } | undefined => {
    const value = setting.read(raw)?.value;
    return valued(value);
  };
  const fallback = read(fallbackText)?.value;
  if (fallback === undefined) throw new Error(`the default ${fallbackText} is not ${setting.expected}`);
  return { ...setting, fallbackText, fallback, read };
}

/** The units of sizes in configuration: `32MiB`, `1.5 GB`, `4096`. */
const UNIT_BYTES: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1000,
  kb: 1000,
  m: 1000 ** 2,
  mb: 1000 ** 2,
  g: 1000 ** 3,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

const SIZE = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/;

/** Whole bytes; undefined if the text is not a size. */
export function sizeBytes(text: string): number | undefined {
  const [, amount, name = ""] = SIZE.exec(text.trim().toLowerCase()) ?? [];
  const unit = Object.hasOwn(UNIT_BYTES, name) ? UNIT_BYTES[name] : undefined;
  if (amount === undefined || unit === undefined) return undefined;
  const bytes = Math.round(Number(amount) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
