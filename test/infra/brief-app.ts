/** A CDK app whose output is removed after the tests. Without a given folder, CDK makes one that no code removes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { afterAll } from "vitest";

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The output exists until the end of the test file. */
export function briefApp(): App {
  const outdir = mkdtempSync(join(tmpdir(), "stepwell-app-"));
  folders.push(outdir);
  return new App({ analyticsReporting: false, outdir });
}
