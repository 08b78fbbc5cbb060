/** The pages on which few readers start. One part of the bundle contains them all; it is loaded when any of them is shown. */
import type { JSX } from "preact";
import { route } from "../data/location.ts";
import { CallPage } from "../pages/call/call-page.tsx";
import { DeploymentsPage } from "../pages/deployments/deployments-page.tsx";
import { LimitsPage } from "../pages/limits/limits-page.tsx";
import { ObjectsPage } from "../pages/objects/objects-page.tsx";
import { SchedulesPage } from "../pages/schedules/schedules-page.tsx";
import { ServicesPage } from "../pages/services/services-page.tsx";
import { SqlPage } from "../pages/sql/sql-page.tsx";
import { TopicsPage } from "../pages/topics/topics-page.tsx";
import { UnknownPage } from "../pages/unknown/unknown-page.tsx";

export function LaterPages(): JSX.Element {
  switch (route.value?.page) {
    case "call":
      return <CallPage />;
    case "deployments":
      return <DeploymentsPage />;
    case "limits":
      return <LimitsPage />;
    case "objects":
      return <ObjectsPage />;
    case "schedules":
      return <SchedulesPage />;
    case "services":
      return <ServicesPage />;
    case "sql":
      return <SqlPage />;
    case "topics":
      return <TopicsPage />;
    default:
      return <UnknownPage />;
  }
}
