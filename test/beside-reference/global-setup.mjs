/** Installs the reference's binary, whose package `test/compat` names. */
import { join } from "node:path";
import { installPackages } from "../harness/browser/chromium.mjs";

export function setup() {
  installPackages(join(import.meta.dirname, "../compat"), "@restatedev/restate-server-linux-x64");
}
