/** `stepwell example`: writes a small project that runs unchanged. */
import { join, relative, resolve } from "node:path";
import { Argument, Command } from "commander";
import { CommandFailure, EXIT_REFUSED } from "../text/command-failure.ts";
import { shellWord } from "../../../shared/api/wire/quoted-words.ts";
import { startOfCommand } from "../text/start-of-command.ts";
import { TEMPLATES, isFree, writeTemplate } from "./templates.ts";

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
