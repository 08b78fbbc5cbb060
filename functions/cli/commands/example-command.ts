/** `stepwell example`: writes a small project that runs unchanged. */
import { join, relative, resolve, basename, dirname } from "node:path";
import { Argument, Command } from "commander";
import { CommandFailure, EXIT_REFUSED } from "../text/command-failure.ts";
import { shellWord } from "../../../shared/api/wire/quoted-words.ts";
import { startOfCommand } from "../text/start-of-command.ts";
import { cp, mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function exampleCommand(): Command {
  const known = Object.entries(TEMPLATES).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`);
  return new Command("example")
    .description("Write a small project of handlers, in TypeScript, Python, Go or Java.")
    .addArgument(new Argument("<template>", "the template").choices(Object.keys(TEMPLATES)))
    .argument("[folder]", "the folder to create; by default it has the name of the template")
    .addHelpText("after", `\nTemplates:\n${known.join("\n")}`)
    .action(async (template: string, folder: string = template) => {
      const place = resolve(folder);
      if (!(await isFree(place))) {
        throw new CommandFailure(`${folder} already exists and is not empty`, {
          exitCode: EXIT_REFUSED,
          fix: `Name another folder: stepwell example ${template} <folder>.`,
        });
      }
      await writeTemplate(template, place);
      console.log(nextSteps(template, folder, place).join("\n"));
    });
}

function nextSteps(template: string, folder: string, place: string): readonly string[] {
  const { serve, restarts, test, testFinds } = TEMPLATES[template]!;
  const there = relative(process.cwd(), place);
  const start = startOfCommand(place);
  // npm finds what npx finds, and otherwise the test has to know the command.
  const isNamed = testFinds === "by npm" ? start.startsWith("node ") : testFinds === "by shell" && start !== "stepwell";
  const named = isNamed ? `STEPWELL=${shellWord(start)} ` : "";
  return [
    `The project ${template} is in ${folder}. Start its handlers${restarts ? ", which restart after each edit" : ", again after each edit"}:`,
    ...(there === "" ? [] : [`  cd ${shellWord(there)}`]),
    ...serve.map((line) => `  ${line}`),
    "In another terminal in that folder, start the control plane:",
    `  ${start} dev --register http://localhost:9080`,
    testFinds === "nothing" ? "Its tests need no control plane:" : "Its tests start a control plane of their own:",
    `  ${named}${test}`,
    `${join(there, "README.md")} shows the first call.`,
  ];
}

/** Every template in TypeScript begins with the files of this one; each of the others replaces the services and the README. */
const SHARED = "greeter";

/** The templates of `stepwell example`, and the location of their files. */
interface Template {
  readonly about: string;
  /** The shell commands that install the packages of the project and serve its handlers, restarted after each edit. */
  readonly serve: readonly string[];
  /** True if the handlers restart by themselves after an edit. */
  readonly restarts: boolean;
  /** The shell command that runs the tests of the project. */
  readonly test: string;
  /** How the tests find the control plane that they start: as npm finds commands, as a shell does, or not at all if they need none. */
  readonly testFinds: "by npm" | "by shell" | "nothing";
}

const SERVE_NODE = ["npm install && npm run dev"];
const NODE = { serve: SERVE_NODE, restarts: true, test: "npm test", testFinds: "by npm" } as const;

export const TEMPLATES: Readonly<Record<string, Template>> = {
  greeter: { about: "a service with a recorded step and a durable sleep", ...NODE },
  saga: { about: "a service that cancels its bookings if a later step fails", ...NODE },
  object: { about: "a virtual object: a counter for each key, whose additions never overlap", ...NODE },
  workflow: { about: "a workflow that waits for a confirmation and answers queries meanwhile", ...NODE },
  limits: { about: "mails for tenants, of whom each has a few places at a time", ...NODE },
  nightly: { about: "a report that a schedule makes each night", ...NODE },
  python: {
    about: "the greeter in Python",
    restarts: true,
    serve: [
      "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
      ".venv/bin/hypercorn --reload --bind localhost:9080 services:app",
    ],
    test: ".venv/bin/python -m unittest",
    testFinds: "nothing",
  },
  go: {
    about: "the greeter in Go",
    restarts: false,
    serve: ["go run ."],
    test: "go test ./...",
    testFinds: "by shell",
  },
  java: {
    about: "the greeter in Java",
    restarts: false,
    serve: ["mvn --quiet compile && java -cp 'target/classes:target/jars/*' greeter.Main"],
    test: "mvn --quiet test",
    testFinds: "nothing",
  },
};

/** @returns true if the path does not exist or is an empty folder */
async function isFree(folder: string): Promise<boolean> {
  return !existsSync(folder) || (await readdir(folder)).length === 0;
}

/**
 * @param name a key of `TEMPLATES`
 * @param folder a folder that `isFree` accepts; a package in TypeScript gets the folder's name
 */
async function writeTemplate(name: string, folder: string): Promise<void> {
  const templates = templatesFolder();
  const isNode = TEMPLATES[name]?.serve === SERVE_NODE;
  await mkdir(folder, { recursive: true });
  for (const part of new Set([...(isNode ? [SHARED] : []), name])) {
    await cp(join(templates, part), folder, { recursive: true });
  }
  // npm pack excludes files named .gitignore, so the template stores the file without the dot.
  await rename(join(folder, "gitignore"), join(folder, ".gitignore"));
  if (isNode) await namePackage(folder);
}

async function namePackage(folder: string): Promise<void> {
  const manifest = join(folder, "package.json");
  const written = JSON.parse(await readFile(manifest, "utf8")) as object;
  const packageName = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
  await writeFile(manifest, `${JSON.stringify({ ...written, name: packageName }, null, 2)}\n`);
}

/** In the package, the templates are beside the bundle; in a checkout, they are several folders above this file. */
function templatesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "examples/templates"))) {
    if (folder === dirname(folder)) throw new Error("The folder examples/templates is not above this command");
    folder = dirname(folder);
  }
  return join(folder, "examples/templates");
}
