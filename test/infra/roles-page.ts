/** The page of roles: who may assume each role, and its actions, resources and conditions. */
import type { Template } from "aws-cdk-lib/assertions";
import { resourceText, resourceWords } from "./resource-words.ts";
import { actionsOf, resourcesOf, type Statement } from "./synthesised.ts";

interface TrustStatement {
  readonly Effect: string;
  readonly Action: string;
  readonly Principal: unknown;
  readonly Condition?: unknown;
}

interface Role {
  readonly name: string;
  readonly trust: string;
  readonly rows: readonly string[];
}

const HEADER = "| may | on | only if |\n|---|---|---|";
const OPERATORS: Readonly<Record<string, string>> = {
  StringEquals: "is",
  StringNotEquals: "is not",
  "ForAllValues:StringLike": "are among",
};
const INTRODUCTION = `# What each role may do

Written from the template by \`npx vitest run test/infra/roles.test.ts -u\`; the test fails where the template grants something else. A row is a
statement of the role's own policy, and there are no other policies: none is attached, and none is shared.
`;

/**
 * @param template the template of the stack with default props
 * @param told the template of the same stack with `encryptionKey`, `assumableRoleArns` and `vpc`
 */
export function rolesPage(template: Template, told: Template): string {
  const standing = rolesOf(template);
  const before = new Map(standing.map((role) => [role.name, role.rows]));
  const more = rolesOf(told).map((role) => {
    const rows = role.rows.filter((row) => before.get(role.name)?.includes(row) !== true);
    const gone = (before.get(role.name) ?? []).filter((row) => !role.rows.includes(row));
    if (gone.length > 0) throw new Error(`${role.name} loses what it has without: ${gone.join("\n")}`);
    return { ...role, rows };
  });
  return [
    INTRODUCTION,
    ...standing.map(({ name, trust, rows }) => `## ${name}\n\nAssumed by ${trust}.\n\n${HEADER}\n${rows.join("\n")}\n`),
    `## Who may call the functions\n\n| who | calls | for |\n|---|---|---|\n${callersOf(template).join("\n")}\n`,
    `## Who comes in by the APIs\n\n| API | authorization |\n|---|---|\n${apiRows(template).join("\n")}\n`,
    `## With \`encryptionKey\`, \`assumableRoleArns\` and \`vpc\`\n\nThe same, and more:\n\n| role | may | on | only if |\n|---|---|---|---|`,
    ...more.flatMap(({ name, rows }) => rows.map((row) => `| ${name} ${row}`)),
    "",
  ].join("\n");
}

function rolesOf(template: Template): readonly Role[] {
  const policies = resourcesOf(template, "AWS::IAM::Policy").map(([, { Properties }]) => ({
    roles: (Properties["Roles"] as readonly unknown[]).map(resourceText),
    statements: (Properties["PolicyDocument"] as { readonly Statement: readonly Statement[] }).Statement,
  }));
  return resourcesOf(template, "AWS::IAM::Role").map(([id, { Properties }]) => {
    const { Statement: trusts } = Properties["AssumeRolePolicyDocument"] as { readonly Statement: TrustStatement[] };
    const own = policies.filter(({ roles }) => roles.includes(resourceText({ Ref: id })));
    return {
      name: nameOf(id),
      trust: trusts.map(trustText).join("; "),
      rows: own.flatMap(({ statements }) => statements.map(rowOf)),
    };
  });
}

function nameOf(roleId: string): string {
  const [, name] = /^Stepwell(?:Functions|EnvironmentKeys|Registrar\w{8}|)(\w+)Role[0-9A-F]{8}$/.exec(roleId)!;
  return name!;
}

function trustText({ Effect, Action, Principal, Condition }: TrustStatement): string {
  if (Effect !== "Allow" || Action !== "sts:AssumeRole") throw new Error(`unknown to this page: ${Effect} ${Action}`);
  const condition = conditionText(Condition);
  return `\`${Object.values(Principal as Record<string, string>).join(", ")}\`${condition === "" ? "" : ` where ${condition}`}`;
}

function rowOf(statement: Statement): string {
  if (statement.Effect !== "Allow") throw new Error(`unknown to this page: ${JSON.stringify(statement)}`);
  const actions = actionsOf(statement).map((action) => `\`${action}\``);
  const resources = [statement.Resource].flat().map(resourceWords);
  return `| ${actions.join(", ")} | ${resources.join("; ")} | ${conditionText(statement.Condition)} |`;
}

/** @returns an empty text for a statement without a condition */
function conditionText(condition: unknown): string {
  return Object.entries((condition ?? {}) as Record<string, Record<string, unknown>>)
    .flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, value]) => {
        if (operator === "Null" && value === "true") return `\`${key}\` is absent`;
        const words = OPERATORS[operator];
        if (words === undefined) throw new Error(`unknown to this page: ${operator}`);
        return `\`${key}\` ${words} ${[value].flat().map(resourceWords).join(" or ")}`;
      }),
    )
    .join(" and ");
}

function callersOf(template: Template): readonly string[] {
  return resourcesOf(template, "AWS::Lambda::Permission").map(([, { Properties }]) => {
    const { Principal, FunctionName, SourceArn } = Properties;
    return `| \`${String(Principal)}\` | ${resourceWords(FunctionName)} | ${resourceWords(SourceArn)} |`;
  });
}

function apiRows(template: Template): readonly string[] {
  return resourcesOf(template, "AWS::ApiGatewayV2::Route").map(([, { Properties }]) => {
    const { ApiId, RouteKey, AuthorizationType } = Properties;
    const [, api] = /^<Stepwell(\w+)Api>$/.exec(resourceText(ApiId))!;
    return `| ${api}, route \`${String(RouteKey)}\` | \`${String(AuthorizationType)}\` |`;
  });
}
