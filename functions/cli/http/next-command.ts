/** The present command line again, from another position: what a user pastes to read or to change the rest. */
import { shownBase } from "./http-exchange.ts";
import { shellWord } from "../../../shared/api/wire/quoted-words.ts";
import { startOfCommand } from "../text/start-of-command.ts";

const AFTER = "--after";

/** @param words the words after the name of the program, as the user wrote them */
export function wordsFrom(words: readonly string[], position: string): readonly string[] {
  const kept = words.filter((word, at) => word !== AFTER && !word.startsWith(`${AFTER}=`) && words[at - 1] !== AFTER);
  return [...kept, AFTER, position];
}

/** The whole command. A password in an address is hidden, because the output may end up in a log. */
export function commandFrom(position: string): string {
  const words = wordsFrom(process.argv.slice(2), position).map((word) => shellWord(shownWord(word)));
  return [startOfCommand(process.cwd()), ...words].join(" ");
}

function shownWord(word: string): string {
  const [, flag = "", value = ""] = /^(--[\w-]+=)?(https?:\/\/.*)$/s.exec(word) ?? [];
  return value !== "" && URL.canParse(value) ? flag + shownBase(value) : word;
}
