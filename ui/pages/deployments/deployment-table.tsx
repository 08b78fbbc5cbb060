/** All deployments, newest first, with the count of the open invocations of each. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { nowMs } from "../../data/clock.ts";
import { usePolled } from "../../data/polled.ts";
import { countPinned } from "../../data/registry.ts";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import { readsHaveAPrice } from "../../data/api.ts";
import { addressOf, healthText, modeText, versionsText } from "../../model/deployment-text.ts";
import { hrefTo } from "../../model/route.ts";
import { countText } from "../../model/size-text.ts";
import { visibleText } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { DeploymentStatus } from "./deployment-status.tsx";

const COUNT_EVERY_MS = 10_000;
const SHOWN_SERVICES = 4;

export function DeploymentTable({
  deployments,
}: {
  readonly deployments: readonly DeploymentSummaryBody[];
}): JSX.Element {
  const [isCounting, setCounting] = useState(!readsHaveAPrice.value);
  const counts = usePolled<ReadonlyMap<string, number> | undefined>(
    `pinned ${isCounting}`,
    async (signal) => (isCounting ? await countPinned(signal) : undefined),
    { everyMs: readsHaveAPrice.value ? false : COUNT_EVERY_MS },
  ).state.value.value;
  return (
    <>
      {!isCounting && (
        <p class="buttons">
          <button type="button" onClick={() => setCounting(true)}>
            Count open invocations
          </button>
          <span class="dim">reads the index of all open invocations</span>
        </p>
      )}
      <table class="plain deployments">
        <TableHead
          columns={[
            "State",
            "Address",
            "Services",
            { words: "Open", class: "right" },
            "Protocol",
            "SDK",
            "Registered",
            "Id",
          ]}
        />
        <tbody>
          {deployments.map((deployment) => (
            <DeploymentRow key={deployment.id} deployment={deployment} counts={counts} />
          ))}
        </tbody>
      </table>
    </>
  );
}

interface DeploymentRowProps {
  readonly deployment: DeploymentSummaryBody;
  readonly counts: ReadonlyMap<string, number> | undefined;
}

function DeploymentRow({ deployment, counts }: DeploymentRowProps): JSX.Element {
  const { id, status, services, sdk_version: sdk, created_at: at, circuits = [] } = deployment;
  const unwell = healthText(deployment.health, nowMs());
  return (
    <tr>
      <td data-label="State">
        <DeploymentStatus status={status} />
        {unwell !== undefined && (
          <div class="tone-failed">
            <span aria-hidden="true">✕</span> {unwell}
          </div>
        )}
        {circuits.map((circuit) => (
          <div key={circuit.service} class="tone-failed" title={visibleText(circuit.reason)}>
            <span aria-hidden="true">✕</span> circuit of <ForeignText text={circuit.service} maxChars={24} /> open
          </div>
        ))}
      </td>
      <td data-label="Address">
        <a href={hrefTo("deployments", [id])}>
          <ForeignText text={addressOf(deployment)} maxChars={64} />
        </a>
      </td>
      <td data-label="Services">
        {services.slice(0, SHOWN_SERVICES).map(({ name, revision }) => (
          <span key={name} class="service-name">
            <a href={hrefTo("services", [name])}>
              <ForeignText text={name} maxChars={32} />
            </a>
            <span class="dim number">@{revision}</span>
          </span>
        ))}
        {services.length > SHOWN_SERVICES && <span class="dim">and {services.length - SHOWN_SERVICES} more</span>}
      </td>
      <td data-label="Open" class="right">
        <OpenLink id={id} count={counts === undefined ? undefined : (counts.get(id) ?? 0)} />
      </td>
      <td data-label="Protocol">
        <span class="number">{versionsText(deployment)}</span> <span class="dim">{modeText(deployment)}</span>
      </td>
      <td data-label="SDK">
        {sdk === undefined ? <span class="dim">unknown</span> : <ForeignText text={sdk} maxChars={36} />}
      </td>
      <td data-label="Registered">
        <Age at={at} />
      </td>
      <td data-label="Id">
        <DeploymentLink id={id} />
      </td>
    </tr>
  );
}

export interface OpenLinkProps {
  readonly id: string;
  /** Undefined if it was not counted. */
  readonly count: number | undefined;
}

/** Leads to the invocations that are pinned to the deployment. */
export function OpenLink({ id, count }: OpenLinkProps): JSX.Element {
  if (count === 0) return <span class="dim number">0</span>;
  return (
    <a class="number" href={hrefTo("invocations", [], { deployment: id, status: "open" })}>
      {count === undefined ? "show" : countText(count)}
      <span class="visually-hidden"> open invocations of {id}</span>
    </a>
  );
}
