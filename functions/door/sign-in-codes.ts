/** Codes that open one session each, soon after they were made. */
import { isSame, newSecret } from "./secrets.ts";

/** The time in which a browser starts, also a slow one. */
export const CODE_MS = 2 * 60 * 1000;
/** The oldest code gives way to a further one. */
const CODES_MAX = 20;

interface Code {
  readonly code: string;
  readonly endsAtMs: number;
  /** The user of the machine for whom the code was made; undefined if the system did not show it. */
  readonly user: number | undefined;
}

export class SignInCodes {
  #codes: readonly Code[] = [];

  make(nowMs: number, user?: number): string {
    const code = newSecret();
    this.#codes = [...this.#valid(nowMs), { code, endsAtMs: nowMs + CODE_MS, user }].slice(-CODES_MAX);
    return code;
  }

  /** @returns the code if it was valid; it is used up then */
  take(given: string, nowMs: number): Pick<Code, "user"> | undefined {
    const taken = this.#valid(nowMs).find(({ code }) => isSame(given, code));
    this.#codes = this.#codes.filter((one) => one !== taken);
    return taken;
  }

  /** A clock that was set back ends no code early. */
  #valid(nowMs: number): readonly Code[] {
    return this.#codes.filter(({ endsAtMs }) => nowMs < endsAtMs);
  }
}
