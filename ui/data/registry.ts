/** The registered deployments and services, and changes of them. */
import type {
  DeploymentBody,
  DeploymentSummaryBody,
  ProbeBody,
  RegisterBody,
  RegisteredBody,
} from "../../shared/api/contract/deployments.ts";
import type { ServiceBody, ServiceCountsBody } from "../../shared/api/contract/services.ts";
import { ask, exchange, problemIn, readsHaveAPrice } from "./api.ts";
import { usePolled, type Polled } from "./polled.ts";
import { runStatement } from "./statements.ts";

/** The registry changes seldom. */
const EVERY_MS = 5_000;

export function useDeployments(): Polled<readonly DeploymentSummaryBody[]> {
  return usePolled(
    "deployments",
    async (signal) =>
      (await ask<{ deployments: readonly DeploymentSummaryBody[] }>("deployments", { signal })).deployments.toSorted(
        (a, b) => b.created_at.localeCompare(a.created_at),
      ),
    slow(),
  );
}

export function useDeployment(id: string): Polled<DeploymentBody> {
  return usePolled(
    `deployment ${id}`,
    (signal) => ask<DeploymentBody>(`deployments/${encodeURIComponent(id)}`, { signal }),
    slow(),
  );
}

export function useServices(): Polled<readonly ServiceBody[]> {
  return usePolled("services", (signal) => askServices(signal), slow());
}

export function useService(name: string): Polled<ServiceBody> {
  return usePolled(
    `service ${name}`,
    (signal) => ask<ServiceBody>(`services/${encodeURIComponent(name)}`, { signal }),
    slow(),
  );
}

/** If the server runs on functions, the default interval of polls applies, which is longer than `EVERY_MS`. */
function slow(): { readonly everyMs?: number } {
  return readsHaveAPrice.peek() ? {} : { everyMs: EVERY_MS };
}

export async function askServices(signal?: AbortSignal): Promise<readonly ServiceBody[]> {
  const { services } = await ask<{ services: readonly ServiceBody[] }>(
    "services",
    signal === undefined ? {} : { signal },
  );
  return services;
}

/** The open invocations by their pinned deployment. */
export async function countPinned(signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const { rows } = await runStatement(
    "select pinned_deployment_id as id, count(*) as open from sys_invocation where status != 'completed' group by pinned_deployment_id",
    signal,
  );
  return new Map(rows.map((row) => [String(row["id"]), Number(row["open"])]));
}

/** The server asks the deployment, and waits for its answer at most a few seconds. @throws ApiProblem */
export async function probeDeployment(id: string): Promise<ProbeBody> {
  return await ask<ProbeBody>(`deployments/${encodeURIComponent(id)}/probe`, {
    method: "POST",
    // Pages of other origins cannot send this header.
    headers: { "x-requested-with": "stepwell-ui" },
  });
}

/** The counts by service; undefined until the reader asks for them where each read has a price. */
export function useServiceCounts(isCounting: boolean): ServiceCountsBody | undefined {
  return usePolled<ServiceCountsBody | undefined>(
    `service counts ${isCounting}`,
    async (signal) => (isCounting ? await ask<ServiceCountsBody>("internal/service-counts", { signal }) : undefined),
    { everyMs: readsHaveAPrice.peek() ? false : EVERY_MS },
  ).state.value.value;
}

export interface Registration {
  readonly body: RegisteredBody;
  /** True if the address was registered before. The server replaces the known deployment only with `force`. */
  readonly isKnown: boolean;
}

/** @throws ApiProblem */
export async function postDeployment(body: RegisterBody): Promise<Registration> {
  const response = await exchange("deployments", { method: "POST", body });
  const text = await response.text();
  if (!response.ok) throw problemIn(response.status, text);
  return { body: JSON.parse(text) as RegisteredBody, isKnown: response.status === 200 };
}
