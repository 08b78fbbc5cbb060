/** The page of objects and workflows: the services with keys, the keys of one, or one key. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { route } from "../../data/location.ts";
import { useServices } from "../../data/registry.ts";
import { serviceTypeText } from "../../model/deployment-text.ts";
import { keyId } from "../../model/key-name.ts";
import { hrefTo } from "../../model/route.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { KeyPage } from "./key-page.tsx";
import { KeysPage } from "./keys-page.tsx";

export function ObjectsPage(): JSX.Element {
  const [service, key] = route.value?.rest ?? [];
  if (service === undefined) return <KeyedServices />;
  if (key === undefined) return <KeysPage key={service} service={service} />;
  const named = { service, key, scope: route.value?.query.get("scope") ?? undefined };
  return <KeyPage key={keyId(named)} named={named} />;
}

function KeyedServices(): JSX.Element {
  const services = useServices();
  return (
    <>
      <div class="bar">
        <h1>Objects and workflows</h1>
      </div>
      <LoadedView loaded={services.state.value} onRetry={() => void services.refresh()}>
        {(all) => <ServiceTable services={all.filter(({ ty }) => ty !== "Service")} />}
      </LoadedView>
    </>
  );
}

function ServiceTable({ services }: { readonly services: readonly ServiceBody[] }): JSX.Element {
  if (services.length === 0) {
    return (
      <Empty>
        <h2>No object and no workflow is registered</h2>
        <p>
          Services of these kinds have keys, and a state for each key.{" "}
          <a href={hrefTo("deployments")}>Register a deployment</a> that serves one.
        </p>
      </Empty>
    );
  }
  return (
    <table class="plain">
      <TableHead columns={["Service", "Kind", "Handlers"]} />
      <tbody>
        {services.map(({ name, ty, handlers }) => (
          <tr key={name}>
            <td>
              <a href={hrefTo("objects", [name])}>
                <ForeignText text={name} maxChars={60} />
              </a>
            </td>
            <td>{serviceTypeText(ty)}</td>
            <td class="number">{handlers.length}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
