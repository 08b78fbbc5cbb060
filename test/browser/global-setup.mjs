/** Provides what the suite needs: its packages, the path of a Chromium, and an empty folder for screenshots. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chromiumPath, installPackages } from "../harness/browser/chromium.mjs";

/** @throws Error that says what to install */
export function setup({ provide }) {
  installPackages(import.meta.dirname, "playwright-core");
  const screens = join(import.meta.dirname, ".cache/screens");
  rmSync(screens, { recursive: true, force: true });
  mkdirSync(screens, { recursive: true });
  provide("chromiumPath", chromiumPath());
  provide("screensFolder", screens);
}
