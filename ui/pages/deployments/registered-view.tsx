/** The result of a registration, with the next step. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../../shared/api/wire/admin.ts";
import { curlParts, proposedCall } from "../../../shared/api/wire/proposed-call.ts";
import type { Registration } from "../../data/registry.ts";
import { server } from "../../data/server.ts";
import { UNKNOWN_INGRESS } from "../../model/call-lines.ts";
import { hrefTo } from "../../model/route.ts";
import { visibleText } from "../../model/visible-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";

export function RegisteredView({
  registration: { body, isKnown },
}: {
  readonly registration: Registration;
}): JSX.Element {
  return (
    <div role="status">
      <p>
        <span class="tone-succeeded">✓</span> {isKnown ? "Replaced" : "Registered"}{" "}
        <DeploymentLink id={body.id} whole />
      </p>
      <ul class="lines">
        {body.services.map(({ name, revision }) => (
          <li key={name}>
            <a href={hrefTo("services", [name])}>
              <ForeignText text={name} maxChars={60} />
            </a>{" "}
            <span class="dim number">revision {revision}</span> · <a href={hrefTo("call", [name])}>try it</a>
          </li>
        ))}
      </ul>
      <ProposedCall services={body.services} />
    </div>
  );
}

/** The line that `stepwell deployments register` and `stepwell dev` print. */
function ProposedCall({ services }: { readonly services: readonly ServiceBody[] }): JSX.Element | null {
  const call = proposedCall(services);
  if (call === undefined) return null;
  const line = curlParts(call, server.value?.ingress_endpoint ?? UNKNOWN_INGRESS).join(" ");
  return (
    <p class="cli-line">
      Call it: <code class="mono break">{visibleText(line)}</code>
      <CopyButton text={line} what="curl line" />
    </p>
  );
}
