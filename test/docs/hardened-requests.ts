/** What the policies of the hardening page must refuse, and what they must leave alone, on resources of a stack with filled-in names. */

export const NAMES: Readonly<Record<string, string>> = {
  account: "111122223333",
  region: "eu-west-1",
  stack: "Live",
  environment: "LiveStepwell1A2B3C4D",
  TableName: "Live-StepwellInvocationsTable1A2B-C3D4",
  "admin-api": "adm1n",
  "ingress-api": "1ngress",
  key: "1c2d3e4f",
  trail: "audit",
  deployer: "pipeline",
  emergency: "glass-to-break",
  "ingress-role": "Live-StepwellFunctionsIngressRole1A2B-X",
  "admin-role": "Live-StepwellFunctionsAdminRole1A2B-X",
  "worker-role": "Live-StepwellFunctionsWorkerRole1A2B-X",
  "sweeper-role": "Live-StepwellFunctionsSweeperRole1A2B-X",
  "topics-role": "Live-StepwellFunctionsTopicsRole1A2B-X",
  "keys-role": "Live-StepwellEnvironmentKeysKeysRole1A2B-X",
  "schedules-role": "Live-StepwellSchedulesRole1A2B-X",
  "registrar-role": "Live-StepwellRegistrarRole1A2B-X",
};
export const filled = (text: string): string =>
  text.replaceAll(/<([\w-]+)>/g, (_, name: string) => NAMES[name] ?? `<${name}>`);
export const role = (name: string): string => `arn:aws:iam::${NAMES["account"]}:role/${NAMES[name] ?? name}`;
export const at = (service: string, rest: string): string => `arn:aws:${service}:eu-west-1:111122223333:${rest}`;

export const TABLE = at("dynamodb", `table/${NAMES["TableName"]}`);
export const QUEUE = at("sqs", "Live-StepwellWakesQueue1A2B-X");
export const DEAD = at("sqs", "Live-StepwellWakesDlq1A2B-X");
export const PARAMETER = at("ssm", "parameter/stepwell/LiveStepwell1A2B3C4D/id-secret");
export const FUNCTION = at("lambda", "function:Live-StepwellFunctionsAdmin1A2B-X");
export const SCHEDULES = at("scheduler", "schedule-group/LiveStepwell1A2B3C4D-wakes");
export const SCHEDULE = at("scheduler", "schedule/LiveStepwell1A2B3C4D-wakes/w1");
export const RULE = at("events", "rule/Live-StepwellSweepRule1A2B-X");
export const LOG = at("logs", "log-group:Live-StepwellFunctionsAdminLog1A2B-X");
export const ALARM = at("cloudwatch", "alarm:Live-StepwellAlarmsErrors1A2B-X");
export const API = "arn:aws:apigateway:eu-west-1::/apis/adm1n/routes/r1";
export const KEY = at("kms", "key/1c2d3e4f");
export const CDK = (name: string): string => role(`cdk-hnb659fds-${name}-role-111122223333-eu-west-1`);
export const STACK = at("cloudformation", "stack/Live/0a1b2c3d");
export const ASSETS = "arn:aws:s3:::cdk-hnb659fds-assets-111122223333-eu-west-1";

/** What lets data out, lets code in, or changes who may act, by resource. */
export const DANGEROUS: readonly (readonly [resource: string, actions: string])[] = [
  [TABLE, "GetItem BatchGetItem Query Scan PutItem UpdateItem DeleteItem BatchWriteItem ConditionCheckItem"],
  [TABLE, "PartiQLSelect PartiQLInsert PartiQLUpdate PartiQLDelete"],
  [
    TABLE,
    "ExportTableToPointInTime RestoreTableToPointInTime CreateBackup StartAwsBackupJob RestoreTableFromAwsBackup",
  ],
  [TABLE, "EnableKinesisStreamingDestination UpdateKinesisStreamingDestination DisableKinesisStreamingDestination"],
  [
    TABLE,
    "UpdateTable CreateTableReplica DeleteTableReplica UpdateTableReplicaAutoScaling UpdateGlobalTable CreateGlobalTable",
  ],
  [
    TABLE,
    "PutResourcePolicy DeleteResourcePolicy GetResourcePolicy DeleteTable UpdateTimeToLive UpdateContinuousBackups",
  ],
  [TABLE, "TagResource UntagResource UpdateContributorInsights AssociateTableReplica"],
  [`${TABLE}/index/open`, "Query Scan UpdateContributorInsights"],
  [`${TABLE}/stream/2026-11-01T00:00:00.000`, "GetRecords GetShardIterator PutResourcePolicy"],
  [`${TABLE}/backup/01`, "RestoreTableFromBackup DeleteBackup"],
  [
    QUEUE,
    "SendMessage ReceiveMessage DeleteMessage ChangeMessageVisibility PurgeQueue SetQueueAttributes AddPermission",
  ],
  [QUEUE, "RemovePermission DeleteQueue StartMessageMoveTask CancelMessageMoveTask TagQueue UntagQueue CreateQueue"],
  [DEAD, "StartMessageMoveTask ReceiveMessage SetQueueAttributes"],
  [PARAMETER, "GetParameter GetParameters GetParametersByPath GetParameterHistory PutParameter DeleteParameter"],
  [PARAMETER, "DeleteParameters LabelParameterVersion UnlabelParameterVersion PutResourcePolicy AddTagsToResource"],
  [
    FUNCTION,
    "InvokeFunction InvokeAsync InvokeFunctionUrl UpdateFunctionCode UpdateFunctionConfiguration AddPermission",
  ],
  [
    FUNCTION,
    "RemovePermission CreateFunctionUrlConfig UpdateFunctionUrlConfig PublishVersion CreateAlias UpdateAlias DeleteAlias",
  ],
  [
    FUNCTION,
    "PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig PutFunctionCodeSigningConfig DeleteFunction",
  ],
  [
    FUNCTION,
    "DeleteFunctionCodeSigningConfig PutFunctionConcurrency DeleteFunctionConcurrency PutRuntimeManagementConfig",
  ],
  [FUNCTION, "TagResource UntagResource CreateFunction PutFunctionRecursionConfig PutProvisionedConcurrencyConfig"],
  [`${FUNCTION}:live`, "InvokeFunction AddPermission"],
  [SCHEDULE, "CreateSchedule UpdateSchedule DeleteSchedule"],
  [SCHEDULES, "DeleteScheduleGroup TagResource CreateScheduleGroup"],
  [RULE, "PutTargets RemoveTargets PutRule DeleteRule DisableRule EnableRule"],
  [
    LOG,
    "PutSubscriptionFilter CreateExportTask DeleteLogGroup DeleteLogStream PutRetentionPolicy DisassociateKmsKey PutLogEvents",
  ],
  [LOG, "PutDataProtectionPolicy DeleteSubscriptionFilter AssociateKmsKey PutTransformer"],
  [ALARM, "PutMetricAlarm DeleteAlarms DisableAlarmActions SetAlarmState"],
  [API, "POST PUT PATCH DELETE"],
  [KEY, "Decrypt GenerateDataKey CreateGrant PutKeyPolicy ScheduleKeyDeletion DisableKey RevokeGrant ReplicateKey"],
  [
    role("ingress-role"),
    "UpdateAssumeRolePolicy PutRolePolicy AttachRolePolicy DetachRolePolicy DeleteRolePolicy PassRole",
  ],
  [
    role("admin-role"),
    "CreateRole DeleteRole PutRolePermissionsBoundary DeleteRolePermissionsBoundary UpdateRole TagRole UntagRole",
  ],
  [role("emergency"), "UpdateAssumeRolePolicy PutRolePolicy AttachRolePolicy PassRole DeleteRole CreateRole"],
  [role("deployer"), "UpdateAssumeRolePolicy PutRolePolicy AttachRolePolicy PassRole"],
  [CDK("cfn-exec"), "PassRole UpdateAssumeRolePolicy PutRolePolicy AttachRolePolicy DeleteRole CreateRole"],
  [CDK("deploy"), "sts:AssumeRole UpdateAssumeRolePolicy"],
  [CDK("file-publishing"), "sts:AssumeRole"],
  [
    STACK,
    "UpdateStack CreateChangeSet ExecuteChangeSet DeleteStack SetStackPolicy RollbackStack ContinueUpdateRollback",
  ],
  [STACK, "UpdateTerminationProtection SignalResource CancelUpdateStack DeleteChangeSet"],
  [ASSETS, "PutBucketPolicy DeleteBucketPolicy PutReplicationConfiguration PutBucketVersioning"],
  [`${ASSETS}/0a1b.zip`, "PutObject DeleteObject PutObjectAcl"],
  [at("cloudtrail", "trail/audit"), "StopLogging DeleteTrail UpdateTrail PutEventSelectors"],
];
/** What anyone with the right in IAM may go on doing. */
export const HARMLESS: readonly (readonly [resource: string, actions: string])[] = [
  [TABLE, "DescribeTable DescribeContinuousBackups ListTagsOfResource"],
  [QUEUE, "GetQueueAttributes GetQueueUrl"],
  [FUNCTION, "GetFunctionConfiguration ListVersionsByFunction GetPolicy"],
  [LOG, "FilterLogEvents GetLogEvents StartQuery DescribeLogStreams"],
  [API, "GET"],
  [role("ingress-role"), "GetRole ListRolePolicies GetRolePolicy"],
  [role("emergency"), "sts:AssumeRole sts:AssumeRoleWithSAML"],
  [STACK, "DescribeStackResources GetTemplate"],
  [at("dynamodb", "table/another"), "GetItem PutItem UpdateTable"],
  [at("execute-api", "adm1n/$default/GET/services"), "Invoke"],
];

export const requests = (rows: typeof DANGEROUS) =>
  rows.flatMap(([resource, actions]) => {
    const service = resource.split(":")[2]!;
    return actions.split(" ").map((name) => ({ resource, action: name.includes(":") ? name : `${service}:${name}` }));
  });
