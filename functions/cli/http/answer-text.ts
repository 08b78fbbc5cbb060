/** The text of a refusing answer: the JSON of an error, or a first line for people. */

const PLAIN_TEXT_MAX = 300;

/** @returns undefined if the text is not the JSON of an error, which has a message */
export function errorBody<Body extends { readonly message: string }>(
  text: string,
): (Partial<Body> & Pick<Body, "message">) | undefined {
  try {
    const body = JSON.parse(text) as Partial<Body> | null;
    return typeof body?.message === "string" ? { ...body, message: body.message } : undefined;
  } catch {
    return undefined;
  }
}

/** @returns an empty text for an answer without a text */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]!.slice(0, PLAIN_TEXT_MAX);
}
