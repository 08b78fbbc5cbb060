/** The names of the registry for the completion of filters. */
import { useEffect, useState } from "preact/hooks";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { ask } from "../../data/api.ts";
import { addressOf } from "../../model/attention-rows.ts";
import type { KnownNames } from "../../model/filter-completion.ts";

const NONE: KnownNames = { services: [], deployments: [] };

/** Loads the names once for the page. Without an answer, the filter box completes only fixed words, such as the statuses. */
export function useKnownNames(): KnownNames {
  const [known, setKnown] = useState(NONE);
  useEffect(() => {
    const leaving = new AbortController();
    void loadNames(leaving.signal).then(setKnown, () => {});
    return () => leaving.abort();
  }, []);
  return known;
}

async function loadNames(signal: AbortSignal): Promise<KnownNames> {
  const [{ services }, { deployments }] = await Promise.all([
    ask<{ services: readonly ServiceBody[] }>("services", { signal }),
    ask<{ deployments: readonly DeploymentSummaryBody[] }>("deployments", { signal }),
  ]);
  return {
    services: services.map(({ name, handlers }) => ({ name, handlers: handlers.map((handler) => handler.name) })),
    deployments: deployments.map((one) => ({ id: one.id, address: addressOf(one) })),
  };
}
