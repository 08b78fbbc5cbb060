/** Repeatable options of the form `name=value`. */
import { InvalidArgumentError } from "commander";

export type Pairs = Readonly<Record<string, string>>;

/** Option parser: adds one pair to the earlier ones. */
export function addPair(written: string, before: Pairs): Pairs {
  const at = written.indexOf("=");
  if (at <= 0) throw new InvalidArgumentError("Write it as name=value.");
  return { ...before, [written.slice(0, at)]: written.slice(at + 1) };
}
