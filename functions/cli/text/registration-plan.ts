/** The preview of a registration, printed before the confirmation question. */
import type { RegisteredBody } from "../../../shared/api/contract/deployments.ts";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import {
  registrationPlan,
  type HandlerChange,
  type ServiceChange,
} from "../../../shared/api/wire/registration-plan.ts";
import { indented, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine } from "./visible-text.ts";

/** @param before the latest registered revisions of the services */
export function planText(colours: Colours, planned: RegisteredBody, before: readonly ServiceBody[]): string {
  const plan = registrationPlan(planned.services, before);
  const sections = [
    { title: "Services that will be added:", changes: plan.filter((change) => change.before === undefined) },
    { title: "Services that will be updated:", changes: plan.filter((change) => change.before !== undefined) },
  ].filter(({ changes }) => changes.length > 0);
  if (sections.length === 0) return "The deployment has no services.\n";
  return sections
    .map(({ title, changes }) => {
      const parts = changes.map((change) => indented(serviceText(colours, change)));
      return `${colours.bold(title)}\n${parts.join("\n")}`;
    })
    .join("\n");
}

function serviceText(colours: Colours, { service, before, handlers }: ServiceChange): string {
  const lines = [colours.cyan(foreignLine(service.name)), foreignLine(`  Type: ${service.ty}`)];
  if (before !== undefined) lines.push(`  Revision: ${before.revision} -> ${service.revision}`);
  const rows = handlers.map(({ kind, handler }) => [
    markOf(colours, kind),
    handler.name,
    handler.input_description,
    handler.output_description,
  ]);
  const marked = before === undefined ? rows.map((row) => row.slice(1)) : rows;
  const heads = ["HANDLER", "INPUT", "OUTPUT"];
  return `${lines.join("\n")}\n${indented(tableText(colours, before === undefined ? heads : ["", ...heads], marked))}\n`;
}

function markOf(colours: Colours, kind: HandlerChange["kind"]): string {
  if (kind === "added") return colours.green("++");
  return kind === "removed" ? colours.red("--") : "";
}
