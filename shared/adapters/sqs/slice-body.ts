/** The name of a slice as the body of a message, told apart from a wake by its only field. */

/** Names are made of words, numbers and ids. */
const NAME = /^[A-Za-z0-9#_!-]{1,200}$/;

export function bodyOfSlice(name: string): string {
  return JSON.stringify({ slice: name });
}

/** @returns undefined for a body that is anything else: anybody who may write to a queue may write anything into it */
export function sliceOfBody(body: string): string | undefined {
  if (!body.startsWith('{"slice":')) return undefined;
  try {
    const { slice } = JSON.parse(body) as { readonly slice?: unknown };
    return typeof slice === "string" && NAME.test(slice) ? slice : undefined;
  } catch {
    return undefined;
  }
}
