/**
 * The cause of a failure without what differs between its occurrences, so that failures with one cause form a group. The server, the
 * command line and the web UI group by the same text.
 */

/** A failure as lists show it. */
export interface Failed {
  readonly code: string;
  readonly message: string;
}

/** The beginning of the message tells causes apart; what follows is mostly detail. */
const MESSAGE_CHARS = 200;
const VARIES = "…";
/** Ids, hexadecimal digests, and numbers with what belongs to them, such as the parts of an address. */
const VARYING =
  /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|\b(?:inv|dp|sub|prom|sign)_[A-Za-z0-9_-]{8,}|\b(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{8,}\b|\d+(?:[.:,]\d+)*/g;

/** `RT0007 no customer …`: the code, and the first line of the message with ids and numbers left out. */
export function causeText({ code, message }: Failed): string {
  const line = message.split("\n", 1)[0]!.slice(0, MESSAGE_CHARS);
  const own = line.startsWith(`[${code}]`) ? line.slice(code.length + 2) : line;
  return `${code} ${own.trim().replaceAll(VARYING, VARIES)}`.trim();
}

/** The name of a cause for filters and addresses: twelve letters and digits. Other causes have mostly other names. */
export function causeId(failed: Failed): string {
  return nameOf(causeText(failed));
}

const NAME_CHARS = 12;
const CAUSE_ID = /^[0-9a-z]{12}$/;

export function isCauseId(text: string): boolean {
  return CAUSE_ID.test(text);
}

/** Two hashes of 32 bits (FNV-1a with two starts): the name is no secret and no proof, and a digest would be asynchronous. */
function nameOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9dc5811c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193) ^ (b >>> 13);
  }
  const digits = `${(a >>> 0).toString(36).padStart(7, "0")}${(b >>> 0).toString(36).padStart(7, "0")}`;
  return digits.slice(0, NAME_CHARS);
}
