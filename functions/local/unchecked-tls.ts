/** Warns at the start of a process whose environment turns the checks of certificates off, for every connection of the process. */
import type { Log } from "../../shared/engine/ports/log.ts";

const VARIABLE = "NODE_TLS_REJECT_UNAUTHORIZED";
/** The only value that turns the checks off. */
const OFF = "0";

export function warnOfUncheckedTls(log: Log, environment: Readonly<Record<string, string | undefined>>): void {
  if (environment[VARIABLE] === OFF) log.write("tls.unchecked", { variable: `${VARIABLE}=${OFF}` });
}
