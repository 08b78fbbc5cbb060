/** The stack of a trial: `cdk` deploys and destroys it, and CloudFormation reports its state. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateSummaryCommand,
  paginateListStackResources,
  type Stack,
} from "@aws-sdk/client-cloudformation";
import { CommandFailure } from "../../functions/cli/text/command-failure.ts";
import { EXIT_NOT_TRIED } from "./exit-codes.ts";
import { STACK_DESCRIPTION } from "./stack-name.ts";
import type { Tools } from "./tools.ts";

export type Outputs = Readonly<Record<string, string>>;

export interface StackState {
  readonly status: string;
  readonly outputs: Outputs;
}

export interface StackPart {
  /** For example `AWS::Logs::LogGroup`. */
  readonly type: string;
  readonly name: string;
}

/** CloudFormation refuses to delete a stack during an update, a rollback or a deletion, but it aborts a first creation. */
const isUndeletable = (status = ""): boolean =>
  status.endsWith("_IN_PROGRESS") && /^UPDATE|ROLLBACK|^DELETE/.test(status);
const LOOK_EVERY_MS = 3_000;
/** Lines such as `StepwellTry | 12/64 | 17:01:02 | CREATE_COMPLETE | AWS::Lambda::Function | ...`. */
const PROGRESS = /\|\s+(\d+)(?:\/(\d+))?\s+\|[^|]+\|\s+(\w+)\s+\|\s+([\w:]+)/;

export class TryStack {
  readonly name: string;
  readonly #tools: Tools;
  readonly #endpoint: string | undefined;
  /** The folder for the generated files of this stack. */
  readonly #folder: string;

  /** @param endpoint the endpoint of an emulated AWS */
  constructor(tools: Tools, name: string, endpoint: string | undefined) {
    this.name = name;
    this.#tools = tools;
    this.#endpoint = endpoint;
    this.#folder = join(tools.folder, name);
  }

  /** @throws Error whose property `told` contains the whole output of `cdk`, or an AbortError */
  async deploy(onProgress: (text: string) => void, signal: AbortSignal): Promise<Outputs> {
    const outputsFile = join(this.#folder, "outputs.json");
    const args = ["deploy", "--require-approval", "never", "--outputs-file", outputsFile];
    onProgress("the code is bundled and uploaded");
    await this.#cdk([...args, ...(await this.#app())], onProgress, signal);
    return (JSON.parse(readFileSync(outputsFile, "utf8")) as Record<string, Outputs>)[this.name] ?? {};
  }

  /** @throws Error whose property `told` contains the whole output of `cdk`, or an AbortError */
  async destroy(onProgress: (text: string) => void, signal: AbortSignal): Promise<void> {
    let standing = await this.look();
    for (; isUndeletable(standing?.status); standing = await this.look()) {
      onProgress("CloudFormation is at work on it");
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
    if (standing === undefined) return;
    const isMade = existsSync(join(this.#assembly, "manifest.json"));
    const app = isMade ? ["--app", this.#assembly] : await this.#app();
    await this.#cdk(["destroy", "--force", ...app], onProgress, signal);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @returns undefined if there is no such stack @throws CommandFailure if this command did not deploy it */
  async look(): Promise<StackState | undefined> {
    const client = new CloudFormationClient({});
    try {
      const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: this.name }));
      if (stack?.StackStatus === undefined || stack.StackStatus === "DELETE_COMPLETE") return undefined;
      if (!(await this.#isOurs(client, stack))) throw notOurs(this.name);
      const pairs = (stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue] as const);
      return { status: stack.StackStatus, outputs: Object.fromEntries(pairs) as Outputs };
    } catch (error) {
      if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
      throw error;
    } finally {
      client.destroy();
    }
  }

  /** The current resources of the stack, by their physical names. */
  async parts(): Promise<readonly StackPart[]> {
    const client = new CloudFormationClient({});
    try {
      const found: StackPart[] = [];
      for await (const page of paginateListStackResources({ client }, { StackName: this.name })) {
        for (const { ResourceType: type, PhysicalResourceId: name } of page.StackResourceSummaries ?? []) {
          if (type !== undefined && name !== undefined) found.push({ type, name });
        }
      }
      return found;
    } finally {
      client.destroy();
    }
  }

  async #isOurs(client: CloudFormationClient, { StackStatus, Description }: Stack): Promise<boolean> {
    // A stack in this status has no template yet, and no resources that could be lost.
    if (StackStatus === "REVIEW_IN_PROGRESS" || Description === STACK_DESCRIPTION) return true;
    const summary = await client.send(new GetTemplateSummaryCommand({ StackName: this.name }));
    return summary.Description === STACK_DESCRIPTION;
  }

  get #assembly(): string {
    return join(this.#folder, "cdk.out");
  }

  /** Bundles the functions. @returns the arguments of `cdk` for the synthesis */
  async #app(): Promise<readonly string[]> {
    const { folder, bundle, emulatorContext } = this.#tools;
    const codeFolder = join(this.#folder, "functions");
    await bundle(codeFolder);
    const emulated =
      this.#endpoint === undefined
        ? {}
        : { ...emulatorContext(this.name), "apis-url": `${this.#endpoint}/_aws/execute-api` };
    const context = Object.entries({ name: this.name, "code-folder": codeFolder, ...emulated });
    const told = context.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    return ["--app", `node ${join(folder, "app.js")}`, "--output", this.#assembly, ...told];
  }

  async #cdk(args: readonly string[], onProgress: (text: string) => void, signal: AbortSignal): Promise<void> {
    const { root, cdk, clientEnvironment } = this.#tools;
    await cdk([...args, "--progress", "events"], {
      cwd: root,
      env: { CDK_DISABLE_VERSION_CHECK: "1", ...(this.#endpoint && clientEnvironment(this.#endpoint)) },
      onLine: (line) => tell(line, onProgress),
      signal,
    });
  }
}

function tell(line: string, onProgress: (text: string) => void): void {
  const [, done, all, status, kind] = PROGRESS.exec(line) ?? [];
  if (done !== undefined) onProgress(`${done}${all === undefined ? "" : ` of ${all}`}: ${kind} ${status}`);
}

function notOurs(name: string): CommandFailure {
  return new CommandFailure(`There is a stack ${name} that this command did not make`, {
    exitCode: EXIT_NOT_TRIED,
    cause: `its description is not "${STACK_DESCRIPTION}"`,
    fix: "Choose another name with --name.",
  });
}
