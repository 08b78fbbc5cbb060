/** The text of one cell; ids lead to their pages. */
import type { JSX } from "preact";
import { visibleLine } from "../../model/visible-text.ts";
import { DeploymentLink, InvocationLink } from "../../parts/short-id.tsx";

/** The bound on the shown text of a cell. No column is wide enough to show a longer text. */
const CELL_MAX_CHARS = 200;
const INVOCATION = /^inv_[0-9A-Za-z]{20,60}$/;
const DEPLOYMENT = /^dp_[0-9A-Za-z]{10,60}$/;

export function CellContent({ text }: { readonly text: string }): JSX.Element {
  if (INVOCATION.test(text)) return <InvocationLink id={text} whole />;
  if (DEPLOYMENT.test(text)) return <DeploymentLink id={text} whole />;
  return <bdi>{visibleLine(text.slice(0, CELL_MAX_CHARS))}</bdi>;
}
