/** Logs the tokens and codes that the door of the admin API refuses: the first at once, and the number of further ones each minute. */
import type { Log } from "../../shared/engine/ports/log.ts";
import type { RefusedSecret } from "../door/door.ts";
import type { Ends } from "../door/peer-user.ts";

const WINDOW_MS = 60_000;

interface Refused {
  readonly secret: RefusedSecret;
  /** The address of the client. */
  readonly from: string;
}

export class RefusedSecrets {
  readonly #log: Log;
  #window: NodeJS.Timeout | undefined;
  #last: Refused | undefined;
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  note(secret: RefusedSecret, { remoteAddress = "" }: Ends): void {
    this.#last = { secret, from: remoteAddress };
    this.#count += 1;
    if (this.#window === undefined) this.#tell();
  }

  /** Logs what has come since the last line. */
  end(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    if (this.#last !== undefined) this.#tell();
    clearTimeout(this.#window);
  }

  /** Begins a window, at whose end the next line may come. */
  #tell(): void {
    this.#log.write("admin-token.refused", { ...this.#last!, count: this.#count });
    this.#last = undefined;
    this.#count = 0;
    this.#window = setTimeout(() => {
      this.#window = undefined;
      if (this.#last !== undefined) this.#tell();
    }, WINDOW_MS).unref();
  }
}
