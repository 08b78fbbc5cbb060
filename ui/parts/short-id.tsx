/** Links to the pages of invocations and deployments. Each link shows the id, shortened in its middle unless `whole` is true. */
import type { JSX } from "preact";
import { hrefTo } from "../model/route.ts";
import { shortened } from "../model/visible-text.ts";

const ID_CHARS = 17;

export interface ShortIdProps {
  readonly id: string;
  /** The whole id is shown. */
  readonly whole?: boolean;
}

export function InvocationLink({ id, whole = false }: ShortIdProps): JSX.Element {
  return (
    <a class="mono" href={hrefTo("invocations", [id])} title={id}>
      {whole ? id : shortened(id, ID_CHARS)}
    </a>
  );
}

export function DeploymentLink({ id, whole = false }: ShortIdProps): JSX.Element {
  return (
    <a class="mono" href={hrefTo("deployments", [id])} title={id}>
      {whole ? id : shortened(id, ID_CHARS)}
    </a>
  );
}
