/** The preview of a registration, printed before the confirmation question. */
import type { HandlerBody, RegisteredBody, ServiceBody } from "../../shared/api/wire/admin.ts";
import { indented, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine } from "./visible-text.ts";

/** @param before the latest registered revisions of the services */
export function planText(colours: Colours, planned: RegisteredBody, before: readonly ServiceBody[]): string {
  const known = new Map(before.map((service) => [service.name, service]));
  const added = planned.services.filter(({ name }) => !known.has(name));
  const updated = planned.services.filter(({ name }) => known.has(name));
  const sections = [
    { title: "Services that will be added:", services: added },
    { title: "Services that will be updated:", services: updated },
  ].filter(({ services }) => services.length > 0);
  if (sections.length === 0) return "The deployment has no services.\n";
  return sections
    .map(({ title, services }) => {
      const parts = services.map((service) => indented(serviceText(colours, service, known.get(service.name))));
      return `${colours.bold(title)}\n${parts.join("\n")}`;
    })
    .join("\n");
}

function serviceText(colours: Colours, service: ServiceBody, before: ServiceBody | undefined): string {
  const lines = [colours.cyan(foreignLine(service.name)), foreignLine(`  Type: ${service.ty}`)];
  if (before !== undefined) lines.push(`  Revision: ${before.revision} -> ${service.revision}`);
  const rows = handlerChanges(service, before).map(({ mark, handler }) => [
    coloured(colours, mark),
    handler.name,
    handler.input_description,
    handler.output_description,
  ]);
  const marked = before === undefined ? rows.map((row) => row.slice(1)) : rows;
  const heads = ["HANDLER", "INPUT", "OUTPUT"];
  return `${lines.join("\n")}\n${indented(tableText(colours, before === undefined ? heads : ["", ...heads], marked))}\n`;
}

type Mark = "++" | "--" | "";

/** The handlers of the new revision, followed by the handlers that it removes. */
function handlerChanges(
  service: ServiceBody,
  before: ServiceBody | undefined,
): readonly { readonly mark: Mark; readonly handler: HandlerBody }[] {
  if (before === undefined) return service.handlers.map((handler) => ({ mark: "", handler }));
  const earlier = new Set(before.handlers.map(({ name }) => name));
  const now = new Set(service.handlers.map(({ name }) => name));
  return [
    ...service.handlers.map((handler) => ({
      mark: earlier.has(handler.name) ? ("" as const) : ("++" as const),
      handler,
    })),
    ...before.handlers.filter(({ name }) => !now.has(name)).map((handler) => ({ mark: "--" as const, handler })),
  ];
}

function coloured(colours: Colours, mark: Mark): string {
  if (mark === "") return "";
  return mark === "++" ? colours.green(mark) : colours.red(mark);
}
