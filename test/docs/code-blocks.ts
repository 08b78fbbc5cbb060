/** Finds the blocks of a page that are taken from a file: `<!-- code of <path> -->` stands on the line before such a block. */
import { textOf } from "./page-text.ts";

const BLOCK = /^<!-- code of (\S+) -->\n```\w+\n([^]*?)^```$/gm;

export interface CodeBlock {
  readonly page: string;
  /** The line of the page on which the comment stands, from 1. */
  readonly line: number;
  readonly file: string;
  readonly code: string;
  /** The whole file. */
  readonly text: string;
}

/** @throws Error if the file is missing */
export function codeBlocks(page: string): readonly CodeBlock[] {
  const words = textOf(page);
  return [...words.matchAll(BLOCK)].map(({ index, 1: file, 2: code }) => ({
    page,
    line: words.slice(0, index).split("\n").length,
    file: file!,
    code: code!,
    text: textOf(file!),
  }));
}
