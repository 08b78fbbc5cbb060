/** `stepwell explain`: prints the entry of the error table for a code, without a server. */
import { Argument, Command, InvalidArgumentError } from "commander";
import { EXPLAINED_CODES, explanationOf, type Explanation } from "../../../shared/api/wire/remedies.ts";
import { sessionOf } from "../http/session.ts";

export function explainCommand(): Command {
  return new Command("explain")
    .description("Explain an error code: when the error occurs, what follows, and what helps.")
    .addArgument(
      new Argument("<code>", "the code at the start of an error").choices(EXPLAINED_CODES).argParser(explained),
    )
    .action((explanation: Explanation, _flags: object, command: Command) =>
      sessionOf(command).give(explanation, () => explanationText(explanation)),
    );
}

/** @param written the code, in upper or lower case */
function explained(written: string): Explanation {
  const explanation = explanationOf(written.toUpperCase());
  if (explanation === undefined) {
    throw new InvalidArgumentError(`This version has no such code. The codes are ${EXPLAINED_CODES.join(", ")}.`);
  }
  return explanation;
}

function explanationText({ code, title, arises, outcome, remedy }: Explanation): string {
  return [`${code}: ${title}`, `  when   ${arises}`, `  then   ${outcome}`, `  fix    ${remedy}`].join("\n");
}
