/** Runs the closure of a run, and returns its result in the form in which a run proposal of the protocol contains it. */
import { TerminalError } from "./script-awaits.ts";

const encoder = new TextEncoder();

interface Settled {
  readonly value?: Uint8Array;
  readonly failure?: { readonly code: number; readonly message: string; readonly metadata: [] };
}

export async function settled(closure: () => string | Promise<string>): Promise<Settled> {
  try {
    return { value: encoder.encode(await closure()) };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return { failure: { code: error.code, message: error.message, metadata: [] } };
  }
}
