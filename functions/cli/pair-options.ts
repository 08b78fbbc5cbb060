/** Options of the form `name=value` that may be given several times. */
import { InvalidArgumentError } from "commander";

export type Pairs = Readonly<Record<string, string>>;

/** The parser of such an option: it adds one pair to those before. */
export function addPair(written: string, before: Pairs): Pairs {
  const at = written.indexOf("=");
  if (at <= 0) throw new InvalidArgumentError("It has the form name=value.");
  return { ...before, [written.slice(0, at)]: written.slice(at + 1) };
}
