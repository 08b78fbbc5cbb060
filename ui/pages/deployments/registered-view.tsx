/** The result of a registration, with the next step. */
import type { JSX } from "preact";
import type { Registration } from "../../data/registry.ts";
import { hrefTo } from "../../model/route.ts";
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
    </div>
  );
}
