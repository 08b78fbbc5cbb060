/** The descriptions of services, each read once for each page. */
import { useEffect, useState } from "preact/hooks";
import type { ServiceBody } from "../../shared/api/contract/services.ts";
import { ask } from "./api.ts";

/** Undefined until the description is here, and if the service is gone. */
export function useService(name: string): ServiceBody | undefined {
  const [service, setService] = useState<ServiceBody>();
  useEffect(() => {
    const over = new AbortController();
    setService(undefined);
    ask<ServiceBody>(`services/${encodeURIComponent(name)}`, { signal: over.signal }).then(setService, () => {
      // A page of an invocation is useful without the description of its service.
    });
    return () => over.abort();
  }, [name]);
  return service;
}
