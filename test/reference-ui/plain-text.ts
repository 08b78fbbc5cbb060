/** Text of a page without what differs from run to run: ids, moments, durations, versions and ports. */

const TIMES = /\b\d+(\.\d+)?(ms|s|m|h)\b( \d+(\.\d+)?(ms|s|m|h)\b)*/g;

const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/\b(inv|dp|prom|sign)_\w+(…\w+)?/g, "$1_…"],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<moment>"],
  [/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d+, \d{4}/g, "<date>"],
  [/\b\d+:\d\d:\d\d(\.\d+)? [AP]M( UTC)?/g, "<time>"],
  [/\bv?1\.7\.12(\+stepwell\.[\d.]+)?/g, "<version>"],
  [/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>"],
  [TIMES, "<duration>"],
];

/** A mark on the axis of a timeline, or the width of that axis. */
const AXIS = /^\+?<duration>$/;
/** A frame of a stack trace. The frames of a handler's failure depend on the moment of the handler's await. */
const FRAME = /^at (async )?\S+/;

/** @returns the lines that remain, without empty ones */
export function plainText(text: string): string {
  const rewritten = REWRITES.reduce((rest, [from, to]) => rest.replaceAll(from, to), text);
  const lines = rewritten.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !AXIS.test(line) && !FRAME.test(line)).join("\n");
}
