/** One service in its latest revision: its options and its handlers. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServiceBody, HandlerBody } from "../../../shared/api/contract/services.ts";
import { ask, problemOf, type ApiProblem } from "../../data/api.ts";
import { route } from "../../data/location.ts";
import { useService } from "../../data/registry.ts";
import { serviceTypeText, handlerTypeText } from "../../model/deployment-text.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";
import {
  OPTIONS,
  policyText,
  changeOf,
  durationProblem,
  editsOf,
  effectiveOption,
  effectivePolicy,
  type DurationOption,
  type OptionEdits,
  type OptionWords,
} from "../../model/service-options.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { download, Payload } from "../../parts/payload.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";
import { Empty, LoadedView, ProblemBox } from "../../parts/states.tsx";
import { Notices } from "./notices.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";

export function ServicePage({ name }: { readonly name: string }): JSX.Element {
  const service = useService(name);
  const [isEditing, setEditing] = useState(false);
  const { value, problem } = service.state.value;
  if (problem?.status === 404) return <Gone name={name} />;
  const chosen = route.value?.query.get("handler");
  return (
    <>
      <p class="crumb">
        <a href={hrefTo("services")}>Services</a>
      </p>
      <LoadedView loaded={service.state.value} onRetry={() => void service.refresh()}>
        {(one) => (
          <>
            <Head service={one} onEdit={() => setEditing(true)} />
            <Facts service={one} />
            <Notices notices={one.info} />
            <section class="block">
              <h2>
                Handlers <span class="dim number">{one.handlers.length}</span>
              </h2>
              {one.handlers.map((handler) => (
                <HandlerView key={handler.name} service={one} handler={handler} isOpen={handler.name === chosen} />
              ))}
            </section>
          </>
        )}
      </LoadedView>
      {isEditing && value !== undefined && (
        <OptionsDialog service={value} onDone={() => void service.refresh()} onClose={() => setEditing(false)} />
      )}
    </>
  );
}

function Head({ service, onEdit }: { readonly service: ServiceBody; readonly onEdit: () => void }): JSX.Element {
  const { name, ty, documentation } = service;
  const [problem, setProblem] = useState<ApiProblem>();
  const openApi = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const document = await ask<unknown>(`services/${encodeURIComponent(name)}/openapi`);
      download(JSON.stringify(document, null, 2), `${name}-openapi.json`);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <>
      <div class="bar">
        <h1>
          <ForeignText text={name} maxChars={80} /> <span class="dim kind">{serviceTypeText(ty)}</span>
        </h1>
        <span class="links">
          <a href={hrefTo("call", [name])}>Try it</a>
          <a href={listHref({ service: [name] })}>Invocations</a>
          {ty !== "Service" && <a href={hrefTo("objects", [name])}>Keys and state</a>}
        </span>
        <button type="button" class="quiet" onClick={() => void openApi()}>
          OpenAPI
        </button>
        <button type="button" onClick={onEdit}>
          Edit options …
        </button>
      </div>
      {problem !== undefined && <ProblemBox problem={problem} onRetry={() => void openApi()} />}
      {documentation !== undefined && (
        <p class="documentation">
          <ForeignText text={documentation} maxChars={2_000} />
        </p>
      )}
    </>
  );
}

function Facts({ service }: { readonly service: ServiceBody }): JSX.Element {
  return (
    <dl class="facts">
      <dt>Revision</dt>
      <dd>
        <span class="number">{service.revision}</span> on <DeploymentLink id={service.deployment_id} whole />
      </dd>
      <dt>Callers</dt>
      <dd>{service.public ? "public: the ingress takes calls" : "services only: the ingress refuses calls"}</dd>
      {OPTIONS.filter(({ option }) => service[option] !== undefined).map(({ option, words, meaning }) => (
        <Option key={option} words={words} value={service[option]!} meaning={meaning} />
      ))}
      <Option words="Retry policy" value={policyText(service.retry_policy)} meaning="" />
      <dt>Lazy state</dt>
      <dd>{service.enable_lazy_state ? "values are fetched one by one" : "the whole state comes with each attempt"}</dd>
      {Object.entries(service.metadata ?? {}).map(([name, value]) => (
        <Option key={name} words={name} value={value} meaning="metadata" />
      ))}
    </dl>
  );
}

interface OptionProps {
  readonly words: string;
  readonly value: string;
  readonly meaning: string;
}

function Option({ words, value, meaning }: OptionProps): JSX.Element {
  return (
    <>
      <dt>
        <ForeignText text={words} maxChars={60} />
      </dt>
      <dd>
        <ForeignText text={value} maxChars={200} /> <span class="dim">{meaning}</span>
      </dd>
    </>
  );
}

function Gone({ name }: { readonly name: string }): JSX.Element {
  return (
    <Empty>
      <h1>No such service</h1>
      <p>
        No deployment serves <ForeignText text={name} maxChars={80} />. <a href={hrefTo("services")}>All services</a>
      </p>
    </Empty>
  );
}

/** The dialog that edits the options of a service. */
interface OptionsDialogProps {
  /** The page reads the service again while the dialog is open, so this value may change. */
  readonly service: ServiceBody;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function OptionsDialog({ service: present, onDone, onClose }: OptionsDialogProps): JSX.Element {
  // The request contains the options whose fields differ from the service as it was when the dialog opened. If the dialog
  // compared the fields with a later state of the service, the request would also undo the change of another operator.
  const [service] = useState(present);
  const [edits, setEdits] = useState<OptionEdits>(() => editsOf(service));
  const shown = OPTIONS.filter(({ option }) => service[option] !== undefined);
  const isValid = shown.every(({ option }) => durationProblem(edits.durations[option] ?? "") === undefined);
  const body = changeOf(service, edits);
  const change = (option: DurationOption, text: string): void =>
    setEdits({ ...edits, durations: { ...edits.durations, [option]: text } });
  return (
    <ConfirmDialog
      title="Edit options"
      verb="Save"
      isReady={isValid && body !== undefined}
      onClose={onClose}
      run={async () => {
        await ask(`services/${encodeURIComponent(service.name)}`, { method: "PATCH", body });
        onDone();
        return (
          <p>
            <span class="tone-succeeded">✓</span> Saved. Attempts that start from now on follow the new options.
          </p>
        );
      }}
    >
      <p class="dim">
        A new revision of the service begins with the options of its code again. Options that a handler sets itself win
        over these.
      </p>
      <div class="fields">
        <label class="check">
          <input
            type="checkbox"
            checked={edits.isPublic}
            onChange={({ currentTarget }) => setEdits({ ...edits, isPublic: currentTarget.checked })}
          />
          <span>
            Public <span class="dim">The ingress takes calls. If this is off, only other services can call it.</span>
          </span>
        </label>
        {shown.map((words) => (
          <DurationField
            key={words.option}
            words={words}
            value={edits.durations[words.option] ?? ""}
            onChange={(text) => change(words.option, text)}
          />
        ))}
      </div>
    </ConfirmDialog>
  );
}

interface DurationFieldProps {
  readonly words: OptionWords;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function DurationField({ words: { option, words, meaning }, value, onChange }: DurationFieldProps): JSX.Element {
  const problem = durationProblem(value);
  return (
    <label class="field">
      {words}
      <input
        type="text"
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${option}-words`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <span id={`${option}-words`} class={problem === undefined ? "dim" : "tone-failed"}>
        {problem === undefined ? meaning : `✕ ${problem}`}
      </span>
    </label>
  );
}

/** One handler: its kind, its input and output, and its effective options. */
interface HandlerViewProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
  readonly isOpen: boolean;
}

function HandlerView({ service, handler, isOpen }: HandlerViewProps): JSX.Element {
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
