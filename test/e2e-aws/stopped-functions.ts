/** Stops the functions of a control plane while its table is exchanged, and starts them again afterwards. */
import {
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import type { DeployedStack } from "./control-plane.ts";

const lambda = new LambdaClient({});

export async function stopFunctions(stack: DeployedStack): Promise<void> {
  for (const FunctionName of unqueuedOf(stack)) {
    await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
  }
  await setWorker(stack, false);
}

export async function startFunctions(stack: DeployedStack): Promise<void> {
  for (const FunctionName of unqueuedOf(stack))
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  await setWorker(stack, true);
}

function unqueuedOf({ outputs }: DeployedStack): readonly string[] {
  return [outputs["IngressFunction"]!, outputs["AdminFunction"]!, outputs["SweeperFunction"]!];
}

async function setWorker({ outputs }: DeployedStack, Enabled: boolean): Promise<void> {
  const of = new ListEventSourceMappingsCommand({ FunctionName: outputs["WorkerFunction"]! });
  const { EventSourceMappings = [] } = await lambda.send(of);
  for (const { UUID } of EventSourceMappings) await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
}
