/** Each `stepwell` command in a block of a page exists, and takes the options that the page gives it. */
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../../functions/cli/program.ts";
import { pagesOf, textOf } from "./page-text.ts";

const program = createProgram(
  async () => 0,
  () => {},
);

/** The commands of the `sh` blocks: each line from `stepwell` to a comment, a pipe or the next command. */
function commandsOf(page: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, block]) => block!);
  return blocks.flatMap((block) =>
    [...block.matchAll(/^ *(?:sudo )?(stepwell [^#|;&\n]+)/gm)].map(([, words]) => words!.trim()),
  );
}

/** The part of the command line that is wrong, or `undefined`. */
function unknownPart(line: string): string | undefined {
  const words = line
    .replaceAll(/"[^"]*"|'[^']*'/g, "value")
    .split(/\s+/)
    .slice(1);
  let command: Command = program;
  let at = 0;
  for (; at < words.length; at++) {
    const child = command.commands.find((one) => [one.name(), ...one.aliases()].includes(words[at]!));
    if (child === undefined) break;
    command = child;
  }
  if (command.commands.length > 0) return words[at] ?? "a command is missing";
  const own = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short]);
  return words.slice(at).find((word) => word.startsWith("-") && !own.includes(word));
}

const lines = pagesOf().flatMap((page) => commandsOf(page).map((line) => [page, line] as const));

test("every command on a page exists, with its options", () => {
  expect(lines.length).toBeGreaterThan(60);
  const wrong = lines.flatMap(([page, line]) => {
    const part = unknownPart(line);
    return part === undefined ? [] : [`${page}: ${line}: ${part}`];
  });
  expect(wrong).toEqual([]);
});

test.each([
  ["stepwell invocations vanish", "vanish"],
  ["stepwell inv ls --statuses paused", "--statuses"],
  ["stepwell invocations", "a command is missing"],
  ["stepwell dp ls --json", undefined],
])("the test would find what is wrong in `%s`", (line, part) => expect(unknownPart(line)).toBe(part));
