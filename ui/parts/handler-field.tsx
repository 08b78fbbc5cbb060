/** The field of a dialog that names a handler; without any handler it leads to the deployments. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../shared/api/contract/services.ts";
import { useServices } from "../data/registry.ts";
import { hrefTo } from "../model/route.ts";
import { HandlerSelect } from "./handler-select.tsx";
import { LoadedView } from "./states.tsx";

export interface HandlerFieldProps {
  readonly service: string;
  readonly handler: string;
  readonly onChoose: (service: ServiceBody, handler: string) => void;
}

export function HandlerField({ service, handler, onChoose }: HandlerFieldProps): JSX.Element {
  const services = useServices();
  const choose = (all: readonly ServiceBody[], name: string, chosen: string): void => {
    const one = all.find((candidate) => candidate.name === name);
    if (one !== undefined) onChoose(one, chosen);
  };
  return (
    <LoadedView loaded={services.state.value} onRetry={() => void services.refresh()}>
      {(all) =>
        all.length === 0 ? (
          <p>
            No handler is registered. <a href={hrefTo("deployments")}>Register a deployment</a> first.
          </p>
        ) : (
          <label class="field">
            Handler
            <HandlerSelect
              services={all}
              service={service}
              handler={handler}
              onChoose={(name, chosen) => choose(all, name, chosen)}
            />
          </label>
        )
      }
    </LoadedView>
  );
}
