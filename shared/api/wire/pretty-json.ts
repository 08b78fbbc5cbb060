/** Formats JSON for people: every token stays as it came, and only the white space between tokens changes. */

/** Longer texts stay as they are, so that the work is bounded. */
const INDENTED_MAX = 4 * 1024 * 1024;
/** Deeper values stay as they are: their indentation would be far larger than the values. */
const DEPTH_MAX = 50;

const SPACE = /[ \t\n\r]+/y;
/** A number, `true`, `false` or `null`. */
const WORD = /[^ \t\n\r,:\]}]+/y;
/** Any token of JSON, and white space. */
const TOKEN = /^(?:[ \t\n\r]+|[{}[\],:]|"[^]*"|-?\d[\d.eE+-]*|true|false|null)$/;

/** @returns the text unchanged if it is not JSON, or too long or too deep */
export function prettyJson(text: string): string {
  return text.length <= INDENTED_MAX && isJson(text) ? (reindented(text) ?? text) : text;
}

/**
 * The beginning of a JSON array or object, indented like the whole. The last token may be cut.
 * @returns undefined for a text that is not the beginning of such a value, or is too deep
 */
export function jsonBeginning(text: string): string | undefined {
  const start = /^[ \t\n\r]*[[{]/.exec(text);
  return start === null || !isBeginning(text) ? undefined : reindented(text);
}

/** Checks the tokens and their nesting, and not the whole grammar: a reader sees a fault in the rest as well as in the cut text. */
function isBeginning(text: string): boolean {
  const open: string[] = [];
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(text.length, tokenEnd(text, at));
    const token = text.slice(at, end);
    if (token === "{" || token === "[") open.push(token);
    else if (token === "}" || token === "]") {
      if (open.pop() !== (token === "}" ? "{" : "[")) return false;
    } else if (end < text.length && !TOKEN.test(token)) return false;
  }
  return open.length > 0;
}

/**
 * The function works on tokens, because parsing and writing the value would change numbers such as 12345678901234.5678 or -0,
 * and would drop the first of two members with the same name.
 * @returns undefined for a value that is too deep
 */
function reindented(json: string): string | undefined {
  const parts: string[] = [];
  const newLine = (): void => void parts.push(`\n${"  ".repeat(depth)}`);
  let depth = 0;
  let isEmpty = false;
  for (let at = 0, end = 0; at < json.length; at = end) {
    end = tokenEnd(json, at);
    const token = json.slice(at, end);
    switch (token[0]) {
      case " ":
      case "\t":
      case "\n":
      case "\r":
        continue;
      case ":":
        parts.push(": ");
        continue;
      case ",":
        parts.push(",");
        newLine();
        continue;
      case "}":
      case "]":
        depth -= 1;
        if (!isEmpty) newLine();
        isEmpty = false;
        break;
      case "{":
      case "[":
        if (isEmpty) newLine();
        depth += 1;
        isEmpty = true;
        if (depth > DEPTH_MAX) return undefined;
        break;
      default:
        if (isEmpty) newLine();
        isEmpty = false;
    }
    parts.push(token);
  }
  return parts.join("");
}

/** @returns the position after the token or the white space that begins here */
function tokenEnd(json: string, at: number): number {
  const first = json[at]!;
  if (first === '"') return stringEnd(json, at);
  if ("{}[],:".includes(first)) return at + 1;
  const run = " \t\n\r".includes(first) ? SPACE : WORD;
  run.lastIndex = at;
  run.test(json);
  return run.lastIndex;
}

function stringEnd(json: string, from: number): number {
  let at = from + 1;
  // The beginning of a value may end within a text.
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** @returns undefined for bytes that are not UTF-8 */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
