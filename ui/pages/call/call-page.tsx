/** The page that calls handlers. */
import type { JSX } from "preact";
import type { HandlerBody, ServiceBody } from "../../../shared/api/wire/admin.ts";
import { goTo, route } from "../../data/location.ts";
import { useServices } from "../../data/registry.ts";
import { hrefTo } from "../../model/route.ts";
import { shortened, visibleLine } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { CallForm } from "./call-form.tsx";

const NAME_CHARS = 60;

export function CallPage(): JSX.Element {
  const services = useServices();
  return (
    <>
      <div class="bar">
        <h1>Try it</h1>
      </div>
      <LoadedView loaded={services.state.value} onRetry={() => void services.refresh()}>
        {(all) => (all.length === 0 ? <NoServices /> : <Chosen services={all} />)}
      </LoadedView>
    </>
  );
}

function Chosen({ services }: { readonly services: readonly ServiceBody[] }): JSX.Element {
  const [serviceName, handlerName] = route.value?.rest ?? [];
  const service = services.find(({ name }) => name === serviceName);
  const handler = service?.handlers.find(({ name }) => name === handlerName) ?? service?.handlers[0];
  return (
    <>
      <HandlerChoice services={services} service={service} handler={handler} />
      {serviceName !== undefined && service === undefined && (
        <Empty>
          <p>
            No deployment serves <ForeignText text={serviceName} maxChars={NAME_CHARS} />.
          </p>
        </Empty>
      )}
      {serviceName === undefined && (
        <Empty>
          <p>Choose a handler. The form follows its JSON schema, and the call goes through the admin API.</p>
        </Empty>
      )}
      {service !== undefined && handler !== undefined && (
        <CallForm key={`${service.name}/${handler.name}`} service={service} handler={handler} />
      )}
    </>
  );
}

interface HandlerChoiceProps {
  readonly services: readonly ServiceBody[];
  readonly service: ServiceBody | undefined;
  readonly handler: HandlerBody | undefined;
}

/** Values are positions, because names may contain any separator. */
function HandlerChoice({ services, service, handler }: HandlerChoiceProps): JSX.Element {
  const value =
    service === undefined || handler === undefined
      ? ""
      : `${services.indexOf(service)} ${service.handlers.indexOf(handler)}`;
  const choose = (text: string): void => {
    const [at, handlerAt] = text.split(" ").map(Number);
    const next = services[at!];
    if (next !== undefined) goTo(hrefTo("call", [next.name, next.handlers[handlerAt!]!.name]));
  };
  return (
    <label class="handler-choice">
      <span class="dim">Handler </span>
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="" disabled>
          choose …
        </option>
        {services.map((one, at) => (
          <optgroup key={one.name} label={lineOf(one.name)}>
            {one.handlers.map(({ name }, handlerAt) => (
              <option key={name} value={`${at} ${handlerAt}`}>
                {lineOf(one.name)}/{lineOf(name)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function lineOf(name: string): string {
  return shortened(visibleLine(name), NAME_CHARS);
}

function NoServices(): JSX.Element {
  return (
    <Empty>
      <h2>No service is registered</h2>
      <p>
        <a href={hrefTo("deployments")}>Register a deployment</a>, then call its handlers here.
      </p>
    </Empty>
  );
}
