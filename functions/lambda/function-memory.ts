/** The memory of a Lambda function, which its own process and its child processes share. */

const MIB = 1024 * 1024;

/** @returns Infinity outside of Lambda */
export function functionMemoryBytes(environment: NodeJS.ProcessEnv): number {
  const mib = Number(environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]);
  return mib > 0 ? mib * MIB : Infinity;
}
