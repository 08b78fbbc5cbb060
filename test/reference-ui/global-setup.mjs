/** Provides what the suite needs: the packages of two folders, and the path of a Chromium. */
import { join } from "node:path";
import { chromiumPath, installPackages } from "../harness/browser/chromium.mjs";

/** @throws Error that says what to install */
export function setup({ provide }) {
  installPackages(import.meta.dirname, "playwright-core");
  installPackages(join(import.meta.dirname, "../compat"), "@restatedev/restate-server-linux-x64");
  provide("chromiumPath", chromiumPath());
}
