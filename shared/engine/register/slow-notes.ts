/**
 * Writes slow notes and long notes. If many attempts of one handler become long at the same time, the process writes one note
 * for all of them.
 */
import type { Engine } from "../engine.ts";
import { slowName, writeSlow } from "./registry-items.ts";
import type { Slowness } from "./registry-items.ts";

type Ground = Pick<Engine, "meta" | "clock" | "settings"> & Partial<Pick<Engine, "log">>;

export class SlowNotes {
  readonly #ground: Ground;
  readonly #underWay = new Set<string>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /**
   * Never fails.
   * @param known names that already have a note
   * @returns false if the note exists or is being written, or the write failed
   */
  async write(
    kind: Slowness,
    service: string,
    handler: string,
    known: ReadonlySet<string> = new Set(),
  ): Promise<boolean> {
    const name = slowName(service, handler);
    const place = `${kind}#${name}`;
    if (known.has(name) || this.#underWay.has(place)) return false;
    this.#underWay.add(place);
    const { meta, clock, settings, log } = this.#ground;
    try {
      await writeSlow(meta, settings.keyPrefix, kind, name, clock.nowMs());
      if (kind === "long") log?.write("attempt.found-long", { service, handler });
      return true;
    } catch (error) {
      log?.write("handler.note-failed", { service, handler, error: String(error) });
      return false;
    } finally {
      this.#underWay.delete(place);
    }
  }
}
