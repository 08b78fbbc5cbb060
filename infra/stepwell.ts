/** The control plane as one construct: two HTTP APIs, four functions, a table, a queue and schedules, and nothing that runs by the hour. */
import { RemovalPolicy } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { SettingPath } from "../shared/config/settings-table.ts";
import { AdminApi, IngressApi } from "./apis.ts";
import { StepwellFunctions } from "./functions.ts";
import { WakeQueue } from "./queues.ts";
import { WakeSchedules } from "./schedules.ts";
import { SweepRule } from "./sweep-rule.ts";
import { InvocationTable } from "./table.ts";

export interface StepwellProps {
  /** Holds a folder with the code of each function: `ingress`, `admin`, `worker`, `sweeper`. */
  readonly codeFolder: string;
  /** As one would write them into the configuration; what the stack itself decides cannot be set. */
  readonly settings?: Partial<Readonly<Record<SettingPath, string>>>;
  /**
   * ARNs of functions that may be called as handlers, with wildcards if need be and always with their qualifiers:
   * `arn:aws:lambda:eu-west-1:111122223333:function:shop-*`. Unless told, all functions of this account and Region that
   * carry the tag `stepwell` with the value `handler`.
   */
  readonly handlerArns?: readonly string[];
  /** Roles as which deployments may ask to be called (`assume_role_arn`), each of which has to trust the functions' roles; none unless told. */
  readonly assumableRoleArns?: readonly string[];
  /**
   * The schedules that drivers may make: those of this stack's own group, unless told. An emulator may judge every
   * schedule as one of the default group.
   */
  readonly scheduleArns?: readonly string[];
  /** Who may call handlers from outside: everybody, unless told. */
  readonly ingressAuth?: "open" | "iam";
  /** Batches that workers drive at the same time; 100 unless told. */
  readonly workerConcurrencyMax?: number;
  /** What becomes of the table and the logs when the stack is deleted: they stay, unless told. */
  readonly removalPolicy?: RemovalPolicy;
}

export class Stepwell extends Construct {
  /** Addresses and names, for whoever deploys. */
  readonly outputs: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: StepwellProps) {
    super(scope, id);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    const { table } = new InvocationTable(this, "Invocations", { removalPolicy });
    const { queue, deadLetters } = new WakeQueue(this, "Wakes");
    const { groupName, role } = new WakeSchedules(this, "Schedules", { queue });
    const functions = new StepwellFunctions(this, "Functions", {
      ...props,
      table,
      queue,
      deadLetters,
      groupName,
      scheduleRole: role,
      removalPolicy,
    });
    new SweepRule(this, "SweepRule", { sweeper: functions.sweeper });
    const ingress = new IngressApi(this, "IngressApi", {
      ingress: functions.ingress,
      auth: props.ingressAuth ?? "open",
    });
    const admin = new AdminApi(this, "AdminApi", { admin: functions.admin });
    this.outputs = {
      IngressUrl: ingress.url,
      AdminUrl: admin.url,
      TableName: table.tableName,
      QueueUrl: queue.queueUrl,
      DeadLetterQueueUrl: deadLetters.queueUrl,
      ScheduleGroup: groupName,
      IngressFunction: functions.ingress.functionName,
      AdminFunction: functions.admin.functionName,
      WorkerFunction: functions.worker.functionName,
      SweeperFunction: functions.sweeper.functionName,
    };
  }
}
