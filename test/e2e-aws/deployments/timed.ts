/** What it costs in time to deploy: told, and never judged. */

export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = Date.now();
  const tell = () => console.log(`${what}: ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  return await work().finally(tell);
}
