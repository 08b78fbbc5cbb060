/** Values of state as the command line reads and writes them: JSON where they are JSON, as the SDKs keep them. */

/** One line; what is no text is written as its bytes in base64, with a word in front. */
export function stateText(bytes: readonly number[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return `base64:${Buffer.from(bytes).toString("base64")}`;
  }
}

/** The value as a program wants it: parsed where it is JSON. */
export function stateJson(bytes: readonly number[]): unknown {
  const text = stateText(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param written as `stateText` writes it; what is no JSON is taken as the JSON string of it */
export function stateBytes(written: string): readonly number[] {
  const inBase64 = /^base64:([A-Za-z0-9+/]*={0,2})$/.exec(written);
  if (inBase64 !== null) return [...Buffer.from(inBase64[1]!, "base64")];
  return [...Buffer.from(isJson(written) ? written : JSON.stringify(written), "utf8")];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
