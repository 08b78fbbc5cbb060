/** The stack as CloudFormation would get it, from a folder with functions that do nothing: synthesis needs no bundles. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Stepwell, type StepwellProps } from "../../infra/stepwell.ts";
import { briefApp } from "./brief-app.ts";

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** @param beside a function that may add resources to the stack */
export function synthesised(
  props: Partial<StepwellProps> = {},
  beside: (stepwell: Stepwell, codeFolder: string) => void = () => undefined,
): Template {
  return inCodeFolder((codeFolder) => {
    const stack = new Stack(
      briefApp(),
      "Test",
      props.encryptionKey && { env: { account: "111122223333", region: "eu-west-1" } },
    );
    beside(new Stepwell(stack, "Stepwell", { codeFolder, ...props }), codeFolder);
    return Template.fromStack(stack);
  });
}

/** @param make a function that gets a folder with code of functions that do nothing; the folder exists only during the call */
export function inCodeFolder<Made>(make: (codeFolder: string) => Made): Made {
  const codeFolder = mkdtempSync(join(tmpdir(), "stepwell-code-"));
  try {
    for (const name of ["ingress", "admin", "worker", "sweeper", "topics", "keys", "registrar"]) {
      mkdirSync(join(codeFolder, name));
      writeFileSync(join(codeFolder, name, "index.mjs"), "export const handler = async () => ({});\n");
    }
    return make(codeFolder);
  } finally {
    rmSync(codeFolder, { recursive: true, force: true });
  }
}

export function resourcesOf(template: Template, type: string): readonly (readonly [string, Resource])[] {
  return Object.entries(template.findResources(type)) as [string, Resource][];
}

/** Every statement of each policy, with the logical id of the policy. */
export function statementsOf(template: Template): readonly { readonly id: string; readonly statement: Statement }[] {
  return resourcesOf(template, "AWS::IAM::Policy").flatMap(([id, { Properties }]) => {
    const { Statement: statements } = Properties["PolicyDocument"] as { readonly Statement: readonly Statement[] };
    return statements.map((statement) => ({ id, statement }));
  });
}

export function actionsOf({ Action }: Statement): readonly string[] {
  return typeof Action === "string" ? [Action] : Action;
}
