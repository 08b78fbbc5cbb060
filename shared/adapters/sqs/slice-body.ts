/** Writes and reads the body of a message that names a slice; the field `slice` distinguishes it from a wake. */

/** The names of slices consist of words, numbers and ids. */
const NAME = /^[A-Za-z0-9#_!-]{1,200}$/;

export function bodyOfSlice(name: string): string {
  return JSON.stringify({ slice: name });
}

/** @returns undefined for any other body, because every sender with access to the queue can write any text */
export function sliceOfBody(body: string): string | undefined {
  if (!body.startsWith('{"slice":')) return undefined;
  try {
    const { slice } = JSON.parse(body) as { readonly slice?: unknown };
    return typeof slice === "string" && NAME.test(slice) ? slice : undefined;
  } catch {
    return undefined;
  }
}
