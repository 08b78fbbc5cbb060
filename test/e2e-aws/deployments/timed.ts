/** Prints the time of a deployment; no test asserts it. */

export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = Date.now();
  const tell = () => console.log(`${what}: ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  return await work().finally(tell);
}
