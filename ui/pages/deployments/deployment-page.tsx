/** One deployment: its facts, its services, its update and its removal. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CircuitBody, DeploymentBody } from "../../../shared/api/contract/deployments.ts";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { nowMs } from "../../data/clock.ts";
import { goTo } from "../../data/location.ts";
import { usePolled } from "../../data/polled.ts";
import { countPinned, useDeployment } from "../../data/registry.ts";
import { readsHaveAPrice, ask, problemOf, type ApiProblem } from "../../data/api.ts";
import {
  addressOf,
  healthSentence,
  healthText,
  modeText,
  STATUS_MEANING,
  versionsText,
  serviceTypeText,
} from "../../model/deployment-text.ts";
import { hrefTo } from "../../model/route.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age, Exact } from "../../parts/moment.tsx";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { DeploymentStatus } from "./deployment-status.tsx";
import { OpenLink } from "./deployment-table.tsx";
import { ProbeView, useProbe } from "./probe-view.tsx";
import { UpdateDialog } from "./update-dialog.tsx";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { Check } from "./register-fields.tsx";

export function DeploymentPage({ id }: { readonly id: string }): JSX.Element {
  const deployment = useDeployment(id);
  const { probing, start } = useProbe(id, () => void deployment.refresh());
  const [dialog, setDialog] = useState<"update" | "remove">();
  const { value, problem } = deployment.state.value;
  // 400 is the answer to a text that is no id.
  if ((problem?.status === 404 || problem?.status === 400) && dialog === undefined) return <Gone id={id} />;
  return (
    <>
      <p class="crumb">
        <a href={hrefTo("deployments")}>Deployments</a>
      </p>
      <LoadedView loaded={deployment.state.value} onRetry={() => void deployment.refresh()}>
        {(one) => (
          <>
            <div class="bar">
              <h1>
                <ForeignText text={addressOf(one)} maxChars={80} />
              </h1>
              <button type="button" disabled={probing?.kind === "asking"} onClick={start}>
                Probe now
              </button>
              <button type="button" onClick={() => setDialog("update")}>
                Update in place …
              </button>
              <button type="button" class="danger" onClick={() => setDialog("remove")}>
                Remove …
              </button>
            </div>
            {probing !== undefined && <ProbeView probing={probing} />}
            <Facts deployment={one} />
            {one.circuits?.map((circuit) => (
              <Circuit key={circuit.service} circuit={circuit} />
            ))}
            <DeploymentServices services={one.services} />
          </>
        )}
      </LoadedView>
      {dialog === "update" && value !== undefined && (
        <UpdateDialog
          deployment={value}
          onDone={() => void deployment.refresh()}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "remove" && value !== undefined && (
        <RemoveDialog
          deployment={value}
          onClose={(isRemoved) => {
            setDialog(undefined);
            if (isRemoved) goTo(hrefTo("deployments"));
          }}
        />
      )}
    </>
  );
}

function Facts({ deployment }: { readonly deployment: DeploymentBody }): JSX.Element {
  const { id, status, created_at: at, sdk_version: sdk } = deployment;
  const role = "arn" in deployment ? deployment.assume_role_arn : undefined;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <DeploymentStatus status={status} /> <span class="dim">{STATUS_MEANING[status]}</span>
      </dd>
      <dt>Health</dt>
      <dd class={healthText(deployment.health, nowMs()) === undefined ? undefined : "tone-failed"}>
        {healthSentence(deployment.health, nowMs())}
      </dd>
      <dt>Open invocations</dt>
      <dd>
        <OpenCount deployment={deployment} />
      </dd>
      <dt>Id</dt>
      <dd>
        <span class="mono">{id}</span> <CopyButton text={id} what="id" />
      </dd>
      <dt>Registered</dt>
      <dd>
        <Exact at={at} />{" "}
        <span class="dim">
          (<Age at={at} />)
        </span>
      </dd>
      <dt>Protocol</dt>
      <dd>
        versions {versionsText(deployment)}, {modeText(deployment)}
      </dd>
      <dt>SDK</dt>
      <dd>{sdk === undefined ? <span class="dim">not announced</span> : <ForeignText text={sdk} />}</dd>
      {role !== undefined && (
        <>
          <dt>Role</dt>
          <dd>
            <ForeignText text={role} class="mono" />
          </dd>
        </>
      )}
      <Pairs title="Headers" pairs={deployment.additional_headers} />
      <Pairs title="Metadata" pairs={deployment.metadata} />
    </dl>
  );
}

/** The API gives the count for a draining deployment. For an active one, the page runs a statement, unless reads have a price. */
function OpenCount({ deployment: { id, pinned_invocations: pinned } }: { readonly deployment: DeploymentBody }) {
  const isCounting = pinned === undefined && !readsHaveAPrice.value;
  const counted = usePolled<number | undefined>(
    `open of ${id} ${isCounting}`,
    async (signal) => (isCounting ? ((await countPinned(signal)).get(id) ?? 0) : undefined),
    { everyMs: 10_000 },
  ).state.value.value;
  return <OpenLink id={id} count={pinned ?? counted} />;
}

interface PairsProps {
  readonly title: string;
  readonly pairs: Readonly<Record<string, string>> | undefined;
}

function Pairs({ title, pairs = {} }: PairsProps): JSX.Element | null {
  const entries = Object.entries(pairs);
  if (entries.length === 0) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {entries.map(([name, value]) => (
          <div key={name}>
            <ForeignText text={name} class="mono" />: <ForeignText text={value} maxChars={200} />
          </div>
        ))}
      </dd>
    </>
  );
}

function Circuit({ circuit }: { readonly circuit: CircuitBody }): JSX.Element {
  return (
    <div class="problem">
      <strong>
        The circuit of <ForeignText text={circuit.service} maxChars={60} /> is open
      </strong>
      <p>
        All attempts fail since <Age at={circuit.open_since} />, so one attempt at a time is made; the next{" "}
        <Age at={circuit.next_attempt_at} />.
      </p>
      <p>
        <ForeignText text={circuit.reason} maxChars={600} />
      </p>
      <p>
        <a href={hrefTo("invocations", [], { service: circuit.service, status: "backing-off" })}>
          The invocations that back off
        </a>
      </p>
    </div>
  );
}

function Gone({ id }: { readonly id: string }): JSX.Element {
  return (
    <Empty>
      <h1>No such deployment</h1>
      <p>
        <ForeignText text={id} maxChars={80} class="mono" /> was removed, or never was.{" "}
        <a href={hrefTo("deployments")}>All deployments</a>
      </p>
    </Empty>
  );
}

/** The services of a deployment with their handlers. */
const SHOWN_HANDLERS = 30;

function DeploymentServices({ services }: { readonly services: readonly ServiceBody[] }): JSX.Element {
  return (
    <section class="block">
      <h2>
        Services <span class="dim number">{services.length}</span>
      </h2>
      <table class="plain of-deployment">
        <TableHead columns={["Service", "Kind", { words: "Revision", class: "right" }, "Handlers"]} />
        <tbody>
          {services.map((service) => (
            <tr key={service.name}>
              <td>
                <a href={hrefTo("services", [service.name])}>
                  <ForeignText text={service.name} maxChars={60} />
                </a>
              </td>
              <td class="nowrap">{serviceTypeText(service.ty)}</td>
              <td class="right number">{service.revision}</td>
              <td>
                {service.handlers.slice(0, SHOWN_HANDLERS).map(({ name }) => (
                  <span key={name} class="service-name mono">
                    <ForeignText text={name} maxChars={40} />
                  </span>
                ))}
                {service.handlers.length > SHOWN_HANDLERS && (
                  <span class="dim">and {service.handlers.length - SHOWN_HANDLERS} more</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const IN_USE = 409;

/**
 * The dialog that removes a deployment: it shows the invocations that prevent the removal, and offers force as a
 * separate choice.
 */
interface RemoveDialogProps {
  readonly deployment: DeploymentBody;
  readonly onClose: (isRemoved: boolean) => void;
}

function RemoveDialog({ deployment, onClose }: RemoveDialogProps): JSX.Element {
  const [stage, setStage] = useState<"asking" | "running" | "done">("asking");
  const [problem, setProblem] = useState<ApiProblem>();
  const [isForced, setForced] = useState(false);
  const remove = async (): Promise<void> => {
    setStage("running");
    try {
      const path = `deployments/${encodeURIComponent(deployment.id)}`;
      await ask(isForced ? `${path}?force=true` : path, { method: "DELETE" });
      setStage("done");
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
      setStage("asking");
    }
  };
  const isInUse = problem?.status === IN_USE;
  return (
    <DialogFrame
      title="Remove the deployment"
      closeWords={stage === "done" ? "Close" : "Cancel"}
      onClose={() => onClose(stage === "done")}
      buttons={
        stage !== "done" && (
          <button
            type="button"
            class="danger"
            disabled={stage === "running" || (isInUse && !isForced)}
            onClick={() => void remove()}
          >
            {isForced ? "Remove with force" : "Remove"}
          </button>
        )
      }
    >
      {stage === "done" ? (
        <p role="status">
          <span class="tone-succeeded">✓</span> Removed.
        </p>
      ) : (
        <Consequence deployment={deployment} />
      )}
      {problem !== undefined && (
        <CodedProblem problem={problem}>{isInUse && <Blockers deployment={deployment} />}</CodedProblem>
      )}
      {isInUse && stage !== "done" && (
        <Check
          words="Remove it all the same"
          why="The invocations that need it then fail with RT0011 at each attempt, until they are resumed on another deployment or cancelled. Nothing of their journals is lost."
          isOn={isForced}
          onChange={setForced}
        />
      )}
    </DialogFrame>
  );
}

function Consequence({ deployment }: { readonly deployment: DeploymentBody }): JSX.Element {
  const { status, services } = deployment;
  return (
    <>
      <p>
        <ForeignText text={addressOf(deployment)} maxChars={100} class="mono" />
      </p>
      <p>
        {status === "active"
          ? `The server forgets the address. Those of its ${services.length} services that no other deployment serves can then no longer be called.`
          : "The server forgets the address. New invocations go elsewhere already."}{" "}
        Where an open invocation still needs the deployment, the removal is refused.
      </p>
    </>
  );
}

function Blockers({ deployment: { id, services } }: { readonly deployment: DeploymentBody }): JSX.Element {
  return (
    <ul class="lines">
      <li>
        <a href={hrefTo("invocations", [], { deployment: id, status: "open" })}>
          The open invocations that are pinned here
        </a>
      </li>
      <li>
        <a href={hrefTo("invocations", [], { service: services.map(({ name }) => name).join(","), status: "open" })}>
          All open invocations of its services
        </a>
      </li>
    </ul>
  );
}
