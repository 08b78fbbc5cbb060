/** The files of the web UI, which each build of the program contains. */
import type { UiFile } from "../api/admin/requests/admin-request.ts";

/** The files as one text of JSON. Each build of this file defines it (`infra/build/built-in-texts.mjs`). */
declare const UI_FILES: string;

interface PackedFile {
  readonly type: string;
  /** The gzipped bytes in base64. */
  readonly gzip: string;
}

/** Decodes a file when it is first asked for, because most processes never serve the UI. */
class BuiltInUi extends Map<string, UiFile> {
  #packed: ReadonlyMap<string, PackedFile> | undefined;

  override get(name: string): UiFile | undefined {
    const known = super.get(name);
    if (known !== undefined) return known;
    this.#packed ??= new Map(Object.entries(JSON.parse(UI_FILES) as Record<string, PackedFile>));
    const packed = this.#packed.get(name);
    if (packed === undefined) return undefined;
    const file = { type: packed.type, gzip: Uint8Array.from(atob(packed.gzip), (char) => char.charCodeAt(0)) };
    this.set(name, file);
    return file;
  }
}

export function builtInUi(): ReadonlyMap<string, UiFile> {
  return new BuiltInUi();
}
