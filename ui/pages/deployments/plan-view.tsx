/** The changes that a registration or an update will make. */
import type { JSX } from "preact";
import type { HandlerChange, ServiceChange } from "../../../shared/api/wire/registration-plan.ts";
import { memberWords, serviceTypeText } from "../../model/deployment-text.ts";
import { optionText, visibleLine } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";

const MARKS: Readonly<Record<HandlerChange["kind"], { readonly glyph: string; readonly words: string }>> = {
  added: { glyph: "+", words: "added" },
  removed: { glyph: "−", words: "removed" },
  changed: { glyph: "≠", words: "changed" },
  same: { glyph: "", words: "as before" },
};

export function PlanView({ plan }: { readonly plan: readonly ServiceChange[] }): JSX.Element {
  if (plan.length === 0) return <p>The deployment has no services.</p>;
  return (
    <div class="plan" role="group" aria-label="Planned changes" tabIndex={0}>
      {plan
        .toSorted((a, b) => changesIn(b) - changesIn(a))
        .map((change) => (
          <ServicePlan key={change.service.name} change={change} />
        ))}
    </div>
  );
}

/** The number of changes to a service, by which services are sorted, the largest first. */
function changesIn({ handlers, differing }: ServiceChange): number {
  return handlers.filter(({ kind }) => kind !== "same").length + differing.length;
}

function ServicePlan({ change }: { readonly change: ServiceChange }): JSX.Element {
  const { service, before, differing, handlers } = change;
  const unchanged = handlers.filter(({ kind }) => kind === "same");
  return (
    <section>
      <h3>
        <ForeignText text={service.name} /> <span class="dim">{serviceTypeText(service.ty)}</span>{" "}
        {before === undefined ? (
          <span class="change-added">new service</span>
        ) : (
          <span class="number">
            revision {before.revision} → {service.revision}
          </span>
        )}
      </h3>
      {differing.length > 0 && <p class="change-changed">≠ {differing.map(memberWords).join(", ")}</p>}
      <ul>
        {handlers
          .filter(({ kind }) => kind !== "same")
          .map((one) => (
            <HandlerLine key={one.handler.name} change={one} />
          ))}
      </ul>
      {unchanged.length > 0 && (
        <p class="dim">
          as before:{" "}
          {unchanged
            .map(({ handler }) => visibleLine(handler.name))
            .slice(0, 20)
            .join(", ")}
          {unchanged.length > 20 && ` and ${unchanged.length - 20} more`}
        </p>
      )}
    </section>
  );
}

function HandlerLine({ change: { kind, handler, differing } }: { readonly change: HandlerChange }): JSX.Element {
  const { glyph, words } = MARKS[kind];
  return (
    <li class={`change-${kind}`}>
      <span aria-hidden="true" class="glyph">
        {glyph}
      </span>
      <ForeignText text={handler.name} class="mono" /> {words}
      <span class="dim">
        {differing.length > 0
          ? `: ${differing.map(memberWords).join(", ")}`
          : ` · ${optionText(handler.input_description)} → ${optionText(handler.output_description)}`}
      </span>
    </li>
  );
}
