/** An app of CDK that leaves nothing behind: one without a folder of its own makes one that nobody removes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { afterAll } from "vitest";

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** What it synthesises is there as long as the file of tests that it is made in. */
export function briefApp(): App {
  const outdir = mkdtempSync(join(tmpdir(), "stepwell-app-"));
  folders.push(outdir);
  return new App({ analyticsReporting: false, outdir });
}
