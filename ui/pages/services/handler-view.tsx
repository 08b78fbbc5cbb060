/** One handler: its kind, its input and output, and its effective options. */
import type { JSX } from "preact";
import type { HandlerBody, ServiceBody } from "../../../shared/api/contract/services.ts";
import { handlerTypeText } from "../../model/deployment-text.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";
import { effectiveOption, effectivePolicy, OPTIONS, policyText } from "../../model/service-options.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Payload } from "../../parts/payload.tsx";
import { Notices } from "./notices.tsx";

export interface HandlerViewProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
  readonly isOpen: boolean;
}

export function HandlerView({ service, handler, isOpen }: HandlerViewProps): JSX.Element {
  const { name, input_description: input, output_description: output } = handler;
  return (
    <details class="handler" open={isOpen}>
      <summary>
        <span class="mono handler-name">
          <ForeignText text={name} maxChars={60} />
        </span>
        <span class="dim">{service.ty === "Service" ? "" : handlerTypeText(handler)}</span>
        <span>
          <ForeignText text={input} maxChars={40} /> <span class="dim">→</span>{" "}
          <ForeignText text={output} maxChars={40} />
        </span>
        <span class="dim">{handler.public === service.public ? "" : handler.public ? "public" : "services only"}</span>
      </summary>
      <div class="handler-body">
        {handler.documentation !== undefined && (
          <p class="documentation">
            <ForeignText text={handler.documentation} maxChars={2_000} />
          </p>
        )}
        <p class="links">
          <a href={hrefTo("call", [service.name, name])}>Try it</a>
          <a href={listHref({ service: [service.name], handler: [name] })}>Invocations</a>
        </p>
        <Options service={service} handler={handler} />
        <Notices notices={handler.info} />
        <Schema title="Input schema" schema={handler.input_json_schema} fileName={`${name}-input.json`} />
        <Schema title="Output schema" schema={handler.output_json_schema} fileName={`${name}-output.json`} />
      </div>
    </details>
  );
}

function Options({ service, handler }: Omit<HandlerViewProps, "isOpen">): JSX.Element {
  const hasOwnPolicy = Object.values(handler.retry_policy).some((value) => value !== undefined && value !== null);
  return (
    <dl class="facts">
      {OPTIONS.map(({ option, words }) => {
        const { value, isOwn } = effectiveOption(service, handler, option);
        if (value === undefined) return null;
        return <Effective key={option} words={words} value={value} isOwn={isOwn} />;
      })}
      <Effective words="Retry policy" value={policyText(effectivePolicy(service, handler))} isOwn={hasOwnPolicy} />
      {Object.entries(handler.metadata ?? {}).map(([name, value]) => (
        <Effective key={name} words={name} value={value} isOwn />
      ))}
    </dl>
  );
}

interface EffectiveProps {
  readonly words: string;
  readonly value: string;
  readonly isOwn: boolean;
}

function Effective({ words, value, isOwn }: EffectiveProps): JSX.Element {
  return (
    <>
      <dt>
        <ForeignText text={words} maxChars={60} />
      </dt>
      <dd>
        <ForeignText text={value} maxChars={200} /> {!isOwn && <span class="dim">of the service</span>}
      </dd>
    </>
  );
}

interface SchemaProps {
  readonly title: string;
  readonly schema: unknown;
  readonly fileName: string;
}

function Schema({ title, schema, fileName }: SchemaProps): JSX.Element | null {
  if (schema === undefined) return null;
  return (
    <section>
      <h3>{title}</h3>
      <Payload content={JSON.stringify(schema)} fileName={fileName} />
    </section>
  );
}
