/** `stepwell example`: writes a small project that runs unchanged. */
import { join, relative, resolve } from "node:path";
import { Argument, Command } from "commander";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_REFUSED } from "./exit-codes.ts";
import { shellWord, startOfCommand } from "./start-of-command.ts";
import { TEMPLATES, isFree, writeTemplate } from "./templates.ts";

export function exampleCommand(): Command {
  const known = Object.entries(TEMPLATES).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`);
  return new Command("example")
    .description("Write a small project of handlers, in TypeScript or Python.")
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
      const there = relative(process.cwd(), place);
      console.log(
        [
          `The project ${template} is in ${folder}. Start its handlers, which restart after each edit:`,
          ...(there === "" ? [] : [`  cd ${shellWord(there)}`]),
          ...TEMPLATES[template]!.serve.map((line) => `  ${line}`),
          "In another terminal, start the control plane:",
          `  ${startOfCommand()} dev --register http://localhost:9080`,
          `${join(there, "README.md")} shows the first call.`,
        ].join("\n"),
      );
    });
}
