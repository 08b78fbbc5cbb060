/** Reads the list of files in the section about the path of a plain call from docs/design.md. */

/** @returns the paths in the order of the list */
export function pathOfACall(text: string): string[] {
  const [, section = ""] = text.split("\n## The path of a plain call\n");
  const [own = ""] = section.split("\n## ", 1);
  return [...own.matchAll(/^\d+\. `([^`]+)`: /gm)].map(([, path = ""]) => path);
}
