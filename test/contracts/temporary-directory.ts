/** Temporary directories for tests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates an empty directory; the caller removes it with `removeDirectory`. */
export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "stepwell-"));
}

export function removeDirectory(dir: string): Promise<void> {
  return rm(dir, { recursive: true, force: true });
}
