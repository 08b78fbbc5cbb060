/** The resources of a template in readable words: tokens become names, and known names become words. */

const HASH = /[0-9A-F]{8}$/;
/** The template of a stack with an explicit account and Region contains these texts in place of references. */
const KNOWN_PLACES = [
  ["111122223333", "<account>"],
  ["eu-west-1", "<region>"],
] as const;

/** Patterns of resources and their words. A resource without a match is shown as it is, so that a new one is noticed. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^<StepwellInvocationsTable>$/, "the table"],
  [/^<StepwellInvocationsTable>\/index\/(\w+)$/, "the index `$1` of the table"],
  [/^<StepwellWakesQueue>$/, "the queue of wakes"],
  [/^<StepwellWakesSlowQueue>$/, "the queue of wakes of slow services"],
  [/^<StepwellWakesDlq>$/, "the dead-letter queue"],
  [/^<StepwellSchedulesRole>$/, "the role of the schedules"],
  [/^<StepwellSchedulesGroup>$/, "the group of schedules"],
  [/^<StepwellSweepRule>$/, "the rule of the sweeper"],
  [/^<Stepwell(?:EnvironmentKeys|Functions)(\w+?)Log>$/, "the log group of *$1*"],
  [/^<StepwellRegistrar\w{8}RegistrarLog>$/, "the log group of *Registrar*"],
  [/^<Stepwell(?:EnvironmentKeys|Functions)(\w+?)>$/, "*$1*"],
  [/^arn:aws:scheduler:<region>:<account>:schedule\/<StepwellSchedulesGroup>\/\*$/, "schedules of the group"],
  [/^arn:aws:lambda:<region>:<account>:function:\*$/, "functions of this account and Region"],
  [/^arn:aws:ssm:<region>:<account>:parameter\/stepwell\/\w+\/(\S+)$/, "the parameter `/stepwell/<environment>/$1`"],
  [/^arn:aws:execute-api:<region>:<account>:<Stepwell(\w+?)Api>\/\*\/\*$/, "the $1 API"],
  [
    /^arn:aws:execute-api:<region>:<account>:<Stepwell(\w+?)Api>\/\*\/([A-Z]+)(\/\S*)$/,
    "`$2 $3` of the $1 API, in any stage",
  ],
  [/^TestStepwell[0-9A-F]{8}$/, "the name of the environment"],
  [/^arn:aws:kms:<region>:<account>:key\/\S+$/, "the key that `encryptionKey` names"],
  [/^arn:aws:iam::<account>:role\/\S+$/, "the role that `assumableRoleArns` names"],
];

/**
 * @param value a string, or a CloudFormation expression
 * @throws Error for an intrinsic function of CloudFormation that no Stepwell template uses
 */
export function resourceText(value: unknown): string {
  if (typeof value === "string") {
    return KNOWN_PLACES.reduce((text, [place, name]) => text.replaceAll(place, name), value);
  }
  const [[name, content]] = Object.entries(value as Record<string, unknown>) as [[string, unknown]];
  if (name === "Fn::Join") return (content as [string, unknown[]])[1].map(resourceText).join("");
  if (name === "Fn::GetAtt") return `<${(content as [string, string])[0].replace(HASH, "")}>`;
  if (name !== "Ref") throw new Error(`unknown to this page: ${JSON.stringify(value)}`);
  const pseudo = {
    "AWS::Region": "<region>",
    "AWS::AccountId": "<account>",
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
  };
  return pseudo[content as keyof typeof pseudo] ?? `<${String(content).replace(HASH, "")}>`;
}

export function resourceWords(value: unknown): string {
  const text = resourceText(value);
  const known = WORDS.find(([form]) => form.test(text));
  return known === undefined ? `\`${text}\`` : text.replace(known[0], known[1]);
}
