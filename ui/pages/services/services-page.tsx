/** The page of services: all of them, or the one that the address names. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServiceBody } from "../../../shared/api/wire/admin.ts";
import { route } from "../../data/location.ts";
import { useServices } from "../../data/registry.ts";
import { servicesWith, serviceTypeText } from "../../model/deployment-text.ts";
import { hrefTo } from "../../model/route.ts";
import { countText } from "../../model/size-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { ServicePage } from "./service-page.tsx";

const SHOWN_HANDLERS = 8;

export function ServicesPage(): JSX.Element {
  const name = route.value?.rest[0];
  return name === undefined ? <AllServices /> : <ServicePage key={name} name={name} />;
}

function AllServices(): JSX.Element {
  const services = useServices();
  const { value } = services.state.value;
  const [find, setFind] = useState("");
  return (
    <>
      <div class="bar">
        <h1>Services {value !== undefined && <span class="dim number">{countText(value.length)}</span>}</h1>
        <label>
          <span class="visually-hidden">Find a service or a handler</span>
          <input
            type="search"
            placeholder="service or handler"
            value={find}
            onInput={({ currentTarget }) => setFind(currentTarget.value)}
          />
        </label>
      </div>
      <LoadedView loaded={services.state.value} onRetry={() => void services.refresh()}>
        {(all) => (all.length === 0 ? <NoServices /> : <ServiceTable services={servicesWith(all, find)} />)}
      </LoadedView>
    </>
  );
}

function ServiceTable({ services }: { readonly services: readonly ServiceBody[] }): JSX.Element {
  return (
    <table class="plain deployments">
      <thead>
        <tr>
          <th scope="col">Service</th>
          <th scope="col">Kind</th>
          <th scope="col">Handlers</th>
          <th scope="col" class="right">
            Revision
          </th>
          <th scope="col">Callers</th>
          <th scope="col">Deployment</th>
          <th scope="col">
            <span class="visually-hidden">Links</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {services.map((service) => (
          <ServiceRow key={service.name} service={service} />
        ))}
      </tbody>
    </table>
  );
}

function ServiceRow({ service }: { readonly service: ServiceBody }): JSX.Element {
  const { name, ty, handlers, revision, deployment_id: deployment, documentation } = service;
  return (
    <tr>
      <td data-label="Service">
        <a href={hrefTo("services", [name])}>
          <ForeignText text={name} maxChars={60} />
        </a>
        {documentation !== undefined && (
          <div class="dim">
            <ForeignText text={documentation} maxChars={90} />
          </div>
        )}
      </td>
      <td data-label="Kind" class="nowrap">
        {serviceTypeText(ty)}
      </td>
      <td data-label="Handlers">
        <span>
          {handlers.slice(0, SHOWN_HANDLERS).map((handler) => (
            <a
              key={handler.name}
              class="service-name mono"
              href={hrefTo("services", [name], { handler: handler.name })}
            >
              <ForeignText text={handler.name} maxChars={32} />
            </a>
          ))}
          {handlers.length > SHOWN_HANDLERS && <span class="dim">and {handlers.length - SHOWN_HANDLERS} more</span>}
        </span>
      </td>
      <td data-label="Revision" class="right number">
        {revision}
      </td>
      <td data-label="Callers">{service.public ? "public" : <span class="dim">services only</span>}</td>
      <td data-label="Deployment">
        <DeploymentLink id={deployment} />
      </td>
      <td data-label="">
        <span class="links">
          <a href={hrefTo("call", [name])}>try it</a>
          <a href={hrefTo("invocations", [], { service: name })}>invocations</a>
          {ty !== "Service" && <a href={hrefTo("objects", [name])}>keys</a>}
        </span>
      </td>
    </tr>
  );
}

function NoServices(): JSX.Element {
  return (
    <Empty>
      <h2>No service is registered</h2>
      <p>
        A service appears with the deployment that serves it. <a href={hrefTo("deployments")}>Register a deployment</a>
      </p>
    </Empty>
  );
}
