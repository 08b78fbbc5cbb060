/** Functions on the emulated Lambda: bundled, zipped, published. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateAliasCommand,
  CreateFunctionCommand,
  DeleteFunctionCommand,
  LambdaClient,
  PublishVersionCommand,
} from "@aws-sdk/client-lambda";
import { build } from "esbuild";
import { ACCOUNT, freshName, serviceOptions } from "./services.ts";

export interface OpenFunction {
  readonly client: LambdaClient;
  readonly name: string;
  /** The ARN without a qualifier. */
  readonly arn: string;
  /** The published version 1. */
  readonly versionArn: string;
  /** The alias `live` of that version. */
  readonly aliasArn: string;
  close(): Promise<void>;
}

/** @param entry a file of `functions`, without its extension */
export async function openFunction(entry: string, timeoutS: number): Promise<OpenFunction> {
  const client = new LambdaClient(serviceOptions());
  const FunctionName = freshName(entry);
  const { FunctionArn } = await client.send(
    new CreateFunctionCommand({
      FunctionName,
      Runtime: "nodejs24.x",
      Handler: "index.handler",
      Role: `arn:aws:iam::${ACCOUNT}:role/function`,
      Timeout: timeoutS,
      MemorySize: 256,
      Code: { ZipFile: await zipped(entry) },
    }),
  );
  const { Version } = await client.send(new PublishVersionCommand({ FunctionName }));
  await client.send(new CreateAliasCommand({ FunctionName, Name: "live", FunctionVersion: Version }));
  return {
    client,
    name: FunctionName,
    arn: FunctionArn!,
    versionArn: `${FunctionArn}:${Version}`,
    aliasArn: `${FunctionArn}:live`,
    async close() {
      await client.send(new DeleteFunctionCommand({ FunctionName }));
      client.destroy();
    },
  };
}

async function zipped(entry: string): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-function-"));
  try {
    await build({
      entryPoints: [join(import.meta.dirname, "functions", `${entry}.ts`)],
      outfile: join(folder, "index.js"),
      bundle: true,
      platform: "node",
      target: "node24",
      format: "cjs",
      logLevel: "warning",
    });
    const { status, stderr } = spawnSync("python3", ["-m", "zipfile", "-c", "code.zip", "index.js"], { cwd: folder });
    if (status !== 0) throw new Error(`the function was not zipped: ${String(stderr)}`);
    return readFileSync(join(folder, "code.zip"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
