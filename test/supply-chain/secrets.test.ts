/** No tracked file contains a secret except the known ones: the tests check the files by the recommended rules of secretlint. */
import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HERE, outcomeOf, ROOT } from "./outcome.ts";

/** Findings of the scanner that may stay: by path and rule, with the reason. */
const KNOWN: Readonly<Record<string, string>> = {
  "test/harness/https/fixtures/test-only-server-key.pem privatekey":
    "the key of the TLS tests' server on loopback, whose certificate no other client trusts",
  "test/functions/registrar/registrar.test.ts basicauth":
    "an address with a made-up password, which the test looks for in the text of a failure",
  "test/functions/cli/lost-answers.test.ts basicauth":
    "addresses with a made-up password, which the test looks for in the output of commands",
};

interface FileReport {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string }[];
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * @param paths the paths of the checked files, relative to the folder
 * @returns path and rule of each finding
 */
async function findings(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const program = join(HERE, "node_modules/secretlint/bin/secretlint.js");
  const rules = ["--secretlintrc", join(HERE, ".secretlintrc.json"), "--format", "json"];
  // The output goes to a file, because a pipe is cut off when the scanner exits.
  const file = join(emptyFolder(), "report.json");
  const { told } = await outcomeOf(process.execPath, [program, ...rules, "--output", file, ...paths], folder);
  if (!existsSync(file)) throw new Error(told);
  const reports = JSON.parse(readFileSync(file, "utf8")) as readonly FileReport[];
  const read = new Set(reports.map(({ filePath }) => relative(folder, filePath)));
  // The scanner skips the file with its own rules.
  expect(paths.filter((path) => !read.has(path) && !path.endsWith(".secretlintrc.json"))).toEqual([]);
  return reports.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId }) => `${relative(folder, filePath)} ${ruleId.replace("@secretlint/secretlint-rule-", "")}`),
  );
}

test("no tracked file contains a secret except the known ones", async () => {
  const { out } = await outcomeOf("git", ["ls-files", "-z"]);
  const tracked = out.split("\0").filter((path) => path !== "");
  expect(tracked.length).toBeGreaterThan(500);
  const found = await findings(ROOT, tracked);
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(KNOWN).toSorted());
});

test("a planted key is found, and no secret is found in the harmless file beside it", async () => {
  const folder = emptyFolder();
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "planted.txt"), privateKey.export({ type: "pkcs1", format: "pem" }));
  writeFileSync(join(folder, "fine.txt"), "nothing to hide\n");
  expect(await findings(folder, ["planted.txt", "fine.txt"])).toEqual(["planted.txt privatekey"]);
});
