/** A schedule that is made together with its stack; one that the control plane refuses fails the deployment of the stack. */
import { CustomResource, Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import { granting } from "./lambda/grants.ts";
import { DEPLOY_TIMEOUT } from "./resources/time-outs.ts";
import { registrarOf, type StepwellDeployment, type StepwellDeploymentProps } from "./stepwell-deployment.ts";

/** docs/schedules.md has the meaning and the bounds of each member. */
export interface StepwellScheduleProps extends Pick<
  StepwellDeploymentProps,
  "admin" | "logRetention" | "encryptionKey" | "codeFolder"
> {
  readonly name: string;
  /** The deployment with the handler, if a stack registers it: the schedule is then made after it. */
  readonly deployment?: StepwellDeployment;
  readonly service: string;
  readonly handler: string;
  readonly key?: string;
  readonly scope?: string;
  readonly limitKey?: string;
  /** The input, as JSON. The template shows it, so it must contain no secret. */
  readonly input?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Five fields, or six with seconds first. Either this or `interval`. */
  readonly cron?: string;
  /** The time zone of `cron`; UTC by default. */
  readonly timeZone?: string;
  /** A duration such as `15m`. Either this or `cron`. */
  readonly interval?: string;
  /** A duration such as `30s`. */
  readonly jitter?: string;
  /** A moment such as `2026-01-31T00:00:00Z`. */
  readonly start?: string;
  readonly end?: string;
  readonly count?: number;
  readonly overlap?: "skip" | "buffer-one" | "buffer-all" | "cancel-running" | "allow";
  /** A duration such as `1h`. */
  readonly catchUp?: string;
}

export class StepwellSchedule extends Construct {
  constructor(scope: Construct, id: string, props: StepwellScheduleProps) {
    super(scope, id);
    const { admin, name, deployment } = props;
    if ((props.cron === undefined) === (props.interval === undefined))
      throw new Error(`${name}: give either cron, such as "0 2 * * *", or interval, such as "15m"`);
    const registrar = registrarOf(this, props);
    const routes = ["PUT/schedules/*", "DELETE/schedules/*"];
    registrar.addToRolePolicy(
      granting(
        "registers",
        routes.map((route) => `${admin.arn}/*/${route}`),
      ),
    );
    const resource = new CustomResource(this, "Schedule", {
      serviceToken: registrar.functionArn,
      resourceType: "Custom::StepwellSchedule",
      serviceTimeout: DEPLOY_TIMEOUT,
      properties: { AdminUrl: admin.url, Name: name, Schedule: Stack.of(this).toJsonString(requestOf(props)) },
    });
    resource.node.addDependency(registrar);
    if (deployment !== undefined) resource.node.addDependency(deployment);
    if (Construct.isConstruct(admin)) resource.node.addDependency(admin);
  }
}

/** The body of `PUT /schedules/{name}`. JSON leaves out what is undefined. */
function requestOf(props: StepwellScheduleProps): object {
  const { service, handler, key, scope, limitKey, input, headers, cron, timeZone, interval } = props;
  const { jitter, start, end, count, overlap, catchUp } = props;
  return {
    service,
    handler,
    key,
    scope,
    limit_key: limitKey,
    input,
    headers,
    cron,
    time_zone: timeZone,
    interval,
    jitter,
    start,
    end,
    count,
    overlap,
    catch_up: catchUp,
  };
}
