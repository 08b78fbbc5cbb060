/** Reads a documentation page: its links, its words in code style, and the anchors that GitHub gives its headings. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);

/** @param path relative to the root of the repository */
export function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

export function isFile(path: string): boolean {
  return existsSync(new URL(path, ROOT));
}

/** The paths of all pages of the repository. */
export function pagesOf(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return listed.split("\n").filter((path) => path !== "" && isFile(path));
}

/** The words in code style on a page, without those in code blocks. */
export function codeWords(page: string): readonly string[] {
  return [...page.replaceAll(/^ *```.*?^ *```$/gms, "").matchAll(/`([^`\n]+)`/g)].map(([, word]) => word!);
}

/** The anchors of a page: its headings in lower case, without punctuation, with hyphens for spaces. */
export function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** The links of a page that lead to a missing file of the repository, or to a missing heading. */
export function brokenLinks(path: string): readonly string[] {
  return linksOf(path).flatMap(({ link, target, anchor }) => {
    const isThere = isFile(target) && (anchor === undefined || anchorsOf(textOf(target)).includes(anchor));
    return isThere ? [] : [`${path}: ${link}`];
  });
}

/** The links of a page, with the path of the file that each leads to; links to other sites are left out. */
export function linksOf(
  path: string,
): readonly { readonly link: string; readonly target: string; readonly anchor: string | undefined }[] {
  return [...textOf(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)].map(([link, file, anchor]) => ({
    link,
    target: file === "" ? path : new URL(file!, new URL(path, "file:///")).pathname.slice(1),
    anchor,
  }));
}

/** The names of a page with the file behind each that defines it: `` `Name` (`path`) ``. */
export function namedOn(page: string): readonly { readonly name: string; readonly path: string }[] {
  return [...page.matchAll(/`([\w$]+)` \(`([^`]+)`\)/g)].map(([, name, path]) => ({ name: name!, path: path! }));
}

/** Whether a source defines a function, constant, class, interface, type or method of this name. */
export function isDefined(text: string, name: string): boolean {
  return new RegExp(
    `\\b(?:function|const|class|interface|type) ${name}\\b|^ +(?:(?:async|get|static) )*${name}\\(.*\\{$`,
    "m",
  ).test(text);
}
