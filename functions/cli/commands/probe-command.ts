/** `stepwell deployments probe`: the server asks a deployment at once what it announces, and the command shows what differs. */
import { Command } from "commander";
import type { ProbeBody } from "../../../shared/api/contract/deployments.ts";
import { differencePlace, differenceSides, probeSentence } from "../../../shared/api/wire/probe-words.ts";
import { EXIT_REFUSED } from "../text/command-failure.ts";
import { momentText } from "../text/moment.ts";
import { sessionOf, type Session } from "../http/session.ts";
import { pairsText, tableText } from "../text/table.ts";
import type { Colours } from "../text/terminal.ts";
import { cutLine, foreignLine } from "../text/visible-text.ts";

/** Values may be whole schemas. */
const VALUE_MAX = 60;

export function probeCommand(): Command {
  return new Command("probe")
    .description("Ask a deployment at once what it announces, and show what differs from its registration.")
    .argument("<deployment-id>")
    .action((id: string, _flags: unknown, command: Command) => probe(sessionOf(command), id));
}

/** Ends with the code of a refusal if no manifest came, so that a script can wait for a deployment. */
async function probe(session: Session, id: string): Promise<void> {
  const path = `deployments/${encodeURIComponent(id)}/probe`;
  const { body } = await session.admin.ask<ProbeBody>("POST", path, undefined, "Asking the deployment");
  session.give(body, () => probeText(session.terminal.colours, body));
  if (body.error !== undefined) process.exitCode = EXIT_REFUSED;
}

function probeText(colours: Colours, body: ProbeBody): string {
  const facts = pairsText(colours, [
    ["Deployment", body.deployment_id],
    ["Asked", `${momentText(body.began_at)}, took ${body.took_ms} ms`],
    ["Found", probeSentence(body)],
    ["Error", body.error && foreignLine(body.error.message)],
    ["Answer", answerText(body)],
    ["SDK", body.sdk_version && foreignLine(body.sdk_version)],
  ]);
  if (body.differences.length === 0) return facts;
  const rows = body.differences.map((one) => [
    foreignLine(differencePlace(one)),
    one.member,
    ...differenceSides(one).map((side) => cutLine(side, VALUE_MAX)),
  ]);
  const more = body.difference_count - body.differences.length;
  const rest = more === 0 ? "" : `\nand ${more} more`;
  return `${facts}\n\n${tableText(colours, ["WHERE", "WHAT", "REGISTERED", "FOUND"], rows)}${rest}`;
}

function answerText({ http_status: status, http_version: version, services, handlers }: ProbeBody): string | undefined {
  if (status === undefined) return undefined;
  const counts = services === undefined ? "" : `; services: ${services}, handlers: ${handlers}`;
  return `${status} over ${version}${counts}`;
}
