/** The door of the local admin API: the senders and requests that it lets in, and the log of refused secrets. */
import { resolve } from "node:path";
import type { Settings } from "../../shared/config/settings-table.ts";
import { doorForOwnHosts } from "../door/own-host.ts";
import { doorOf, pageRefusal, type Door, type DoorRules, type Knock, type RefusedSecret } from "../door/door.ts";
import { TOKEN_FILE } from "../door/admin-files.ts";
import { peerUser, type Ends } from "../door/peer-user.ts";
import type { Log } from "../../shared/engine/ports/log.ts";

const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/**
 * Supervisors of a process have no token, and these answers say only whether it runs and takes work. The files of the web UI are the same for
 * everyone, and a page without a session says how to sign in.
 */
const OPEN_PATH =
  /^(?:\/(?:v\d{1,3}\/)?(?:health|ready)|\/|\/ui|\/ui\/[\w.-]{0,100}|\/ui\/[\w-]{1,50}\/[\w.%-]{1,500})$/;

interface AdminDoorOptions extends Pick<DoorRules, "onRefused"> {
  /** Undefined if the setting admin.auth is off. */
  readonly token: string | undefined;
  /** Whether the port is bound to a loopback address. */
  readonly isLoopback: () => boolean;
}

export function adminDoor(settings: Settings, { token, isLoopback, ...more }: AdminDoorOptions): Door {
  const hosts = doorForOwnHosts(settings["admin.allowed-hosts"], isLoopback);
  const rest = token === undefined ? withoutToken : withToken(settings, token, more);
  return (knock, ends) => hosts(knock, ends) ?? rest(knock, ends);
}

/** Other pages stay outside here too: their requests need no answer to cost work. */
function withoutToken(knock: Knock): ReturnType<Door> {
  return isOpen(knock) ? undefined : pageRefusal(knock);
}

function withToken(settings: Settings, token: string, more: Pick<DoorRules, "onRefused">): Door {
  return doorOf({
    ...more,
    token,
    nowMs: () => Date.now(),
    isOpen,
    isPageFile: () => false,
    whereTokenIs: `it is the content of ${resolve(settings["data-dir"], TOKEN_FILE)} on the server's machine`,
    userOf: peerUser,
  });
}

function isOpen({ method, path }: Knock): boolean {
  return READING.has(method) && OPEN_PATH.test(path);
}

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
