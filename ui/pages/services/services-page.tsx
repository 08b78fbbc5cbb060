/** The page of services: all of them, or the one that the address names. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServiceBody, ServiceCountsBody } from "../../../shared/api/contract/services.ts";
import { route } from "../../data/location.ts";
import { useServiceCounts, useServices } from "../../data/registry.ts";
import { readsHaveAPrice } from "../../data/api.ts";
import { servicesWith, serviceTypeText } from "../../model/deployment-text.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";
import { countText } from "../../model/size-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Exact } from "../../parts/moment.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
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
  const [isCounting, setCounting] = useState(!readsHaveAPrice.value);
  const counts = useServiceCounts(isCounting);
  const hasFailed = counts?.failed_since !== undefined;
  return (
    <>
      {!isCounting && (
        <p class="buttons">
          <button type="button" onClick={() => setCounting(true)}>
            Count open invocations
          </button>
          <span class="dim">reads the index of all open invocations, about forty for one read unit</span>
        </p>
      )}
      <table class="plain deployments services">
        <TableHead
          columns={[
            "Service",
            "Kind",
            { words: "Open", class: "right" },
            { words: "Failing, paused", class: "right" },
            ...(hasFailed
              ? [
                  {
                    words: "Failed",
                    class: "right",
                    title: `Ended with a failure since ${counts.failed_since}`,
                  } as const,
                ]
              : []),
            "Handlers",
            { words: "Revision", class: "right" },
            "Callers",
            "Deployment",
            { words: "Links", isHidden: true },
          ]}
        />
        <tbody>
          {services.map((service) => (
            <ServiceRow key={service.name} service={service} counts={counts} />
          ))}
        </tbody>
      </table>
      {hasFailed && (
        <p class="dim">
          Failed: ended with a failure since <Exact at={counts.failed_since!} />, at most an hour back.
        </p>
      )}
    </>
  );
}

interface ServiceRowProps {
  readonly service: ServiceBody;
  /** Undefined if nothing was counted. */
  readonly counts: ServiceCountsBody | undefined;
}

function ServiceRow({ service, counts }: ServiceRowProps): JSX.Element {
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
      <CountCells name={name} counts={counts} />
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
          <a href={listHref({ service: [name] })}>invocations</a>
          {ty !== "Service" && <a href={hrefTo("objects", [name])}>keys</a>}
        </span>
      </td>
    </tr>
  );
}

function CountCells({
  name,
  counts,
}: {
  readonly name: string;
  readonly counts: ServiceRowProps["counts"];
}): JSX.Element {
  const own = counts?.services.find(({ service }) => service === name);
  const isAtLeast = counts?.at_least === true;
  const link = (count: number | undefined, status: string, what: string) => (
    <CountLink
      count={counts && (count ?? 0)}
      isAtLeast={isAtLeast}
      href={listHref({ service: [name], status: [status] })}
      what={`${what} of ${name}`}
    />
  );
  return (
    <>
      <td data-label="Open" class="right">
        {link(own?.open, "open", "open invocations")}
      </td>
      <td data-label="Failing, paused" class="right">
        <span>
          {link(own?.failing, "backing-off", "failing invocations")},{" "}
          {link(own?.paused, "paused", "paused invocations")}
        </span>
      </td>
      {counts?.failed_since !== undefined && (
        <td data-label="Failed" class="right">
          <CountLink
            count={own?.failed ?? 0}
            isAtLeast={false}
            href={listHref({ service: [name], outcome: ["failed"] })}
            what={`failed invocations of ${name}`}
          />
        </td>
      )}
    </>
  );
}

interface CountLinkProps {
  /** Undefined if it was not counted. */
  readonly count: number | undefined;
  readonly isAtLeast: boolean;
  readonly href: string;
  readonly what: string;
}

function CountLink({ count, isAtLeast, href, what }: CountLinkProps): JSX.Element {
  if (count === 0 && !isAtLeast) return <span class="dim number">0</span>;
  return (
    <a class="number" href={href}>
      {count === undefined ? "show" : `${isAtLeast ? "≥ " : ""}${countText(count)}`}
      <span class="visually-hidden"> {what}</span>
    </a>
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
