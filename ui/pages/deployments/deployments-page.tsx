/** The page of deployments: all of them, or the one that the address names. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { route, setQuery } from "../../data/location.ts";
import { useDeployments } from "../../data/registry.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { countText } from "../../model/size-text.ts";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { DeploymentPage } from "./deployment-page.tsx";
import { DeploymentTable } from "./deployment-table.tsx";
import { RegisterDialog } from "./register-dialog.tsx";

export function DeploymentsPage(): JSX.Element {
  const id = route.value?.rest[0];
  return id === undefined ? <AllDeployments /> : <DeploymentPage key={id} id={id} />;
}

function AllDeployments(): JSX.Element {
  const deployments = useDeployments();
  // The overview of a server without a deployment links to this page with the dialog open.
  const [isRegistering, setRegistering] = useState(route.peek()?.query.get("register") === "new");
  useShortcuts(
    useMemo(
      () => [
        { keys: "n", words: "Register a deployment", run: () => setRegistering(true) },
        { keys: "r", words: "Refresh", run: () => void deployments.refresh() },
      ],
      [deployments],
    ),
  );
  const { value } = deployments.state.value;
  const close = (): void => {
    setRegistering(false);
    setQuery({ register: undefined });
  };
  return (
    <>
      <div class="bar">
        <h1>Deployments {value !== undefined && <span class="dim number">{countText(value.length)}</span>}</h1>
        <button type="button" class="primary" onClick={() => setRegistering(true)}>
          Register a deployment
        </button>
      </div>
      <LoadedView loaded={deployments.state.value} onRetry={() => void deployments.refresh()}>
        {(all) => (all.length === 0 ? <NoDeployments /> : <DeploymentTable deployments={all} />)}
      </LoadedView>
      {isRegistering && <RegisterDialog onDone={() => void deployments.refresh()} onClose={close} />}
    </>
  );
}

function NoDeployments(): JSX.Element {
  return (
    <Empty>
      <h2>No deployment is registered</h2>
      <p>
        Start your services, for instance on port 9080. Register their address here, or with
        <br />
        <code>stepwell deployments register http://localhost:9080</code>
      </p>
    </Empty>
  );
}
