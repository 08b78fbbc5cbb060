/** How much memory a function has, its own and that of the processes that it starts taken together. */

const MIB = 1024 * 1024;

/** @returns Infinity outside of Lambda */
export function functionMemoryBytes(environment: NodeJS.ProcessEnv): number {
  const mib = Number(environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]);
  return mib > 0 ? mib * MIB : Infinity;
}
