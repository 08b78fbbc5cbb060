/** A stack with a deployment at an address, and a schedule of its handler. */
import { App, Stack } from "aws-cdk-lib";
import type { AdminApiReference } from "../../../infra/apis.ts";
import { StepwellDeployment } from "../../../infra/stepwell-deployment.ts";
import { StepwellSchedule, type StepwellScheduleProps } from "../../../infra/stepwell-schedule.ts";

export interface ScheduleStackProps extends Omit<StepwellScheduleProps, "admin" | "deployment"> {
  readonly stackName: string;
  readonly admin: AdminApiReference;
  /** The address of the handlers. */
  readonly handlersUrl: string;
}

/** @param outdir the folder for the cloud assembly, which `cdk deploy --app` takes */
export function synthesiseSchedule(outdir: string, { stackName, handlersUrl, ...plan }: ScheduleStackProps): void {
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, stackName);
  const { admin, codeFolder } = plan;
  const deployment = new StepwellDeployment(stack, "Deployment", {
    admin,
    handlers: { url: handlersUrl },
    ...(codeFolder !== undefined && { codeFolder }),
  });
  new StepwellSchedule(stack, "Schedule", { ...plan, deployment });
  app.synth();
}
