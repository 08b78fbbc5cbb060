/** The page that calls handlers. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { goTo, route } from "../../data/location.ts";
import { useServices } from "../../data/registry.ts";
import { hrefTo } from "../../model/route.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { HandlerSelect } from "../../parts/handler-select.tsx";
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
  const handler =
    handlerName === undefined ? service?.handlers[0] : service?.handlers.find(({ name }) => name === handlerName);
  return (
    <>
      <label class="handler-choice">
        <span class="dim">Handler </span>
        <HandlerSelect
          services={services}
          service={serviceName}
          handler={handler?.name}
          onChoose={(...names) => goTo(hrefTo("call", names))}
        />
      </label>
      {serviceName !== undefined && service === undefined && (
        <Empty>
          <p>
            No deployment serves <ForeignText text={serviceName} maxChars={NAME_CHARS} />.
          </p>
        </Empty>
      )}
      {service !== undefined && handler === undefined && (
        <Empty>
          <p>
            <ForeignText text={service.name} maxChars={NAME_CHARS} /> has no handler{" "}
            <ForeignText text={handlerName ?? ""} maxChars={NAME_CHARS} />. Choose another one.
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
