/** Formats timestamps of the admin API for people. */

/** @param moment RFC 3339 in UTC, with any number of fraction digits; @returns the same moment, to the second */
export function momentText(moment: string): string {
  return moment.replace(/^([^T]+)T([^.Z]+)(?:\.\d+)?Z$/, "$1 $2 UTC");
}
