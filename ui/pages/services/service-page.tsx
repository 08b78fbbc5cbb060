/** One service in its latest revision: its options and its handlers. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { type ApiProblem, ask, problemOf } from "../../data/api.ts";
import { route } from "../../data/location.ts";
import { useService } from "../../data/registry.ts";
import { serviceTypeText } from "../../model/deployment-text.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";
import { OPTIONS, policyText } from "../../model/service-options.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { download } from "../../parts/payload.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";
import { Empty, LoadedView, ProblemBox } from "../../parts/states.tsx";
import { HandlerView } from "./handler-view.tsx";
import { Notices } from "./notices.tsx";
import { OptionsDialog } from "./options-dialog.tsx";

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
