/** Finds the functions that allocate during a run, with V8's sampling heap profiler; collected objects count as well. */
import { Session } from "node:inspector/promises";

interface ProfileNode {
  readonly callFrame: { readonly url: string; readonly functionName: string };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

/** The sampling interval in bytes: one byte samples every allocation. */
const EVERY_BYTE = 1;

/** @returns the allocated bytes by the URL of the source file, a space and the name of the function */
export async function allocatingFunctions(run: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: EVERY_BYTE,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    } as object);
    await run();
    const { profile } = await session.post("HeapProfiler.stopSampling");
    const bytes = new Map<string, number>();
    const add = ({ callFrame: { url, functionName }, selfSize, children }: ProfileNode): void => {
      const place = `${url} ${functionName}`;
      if (selfSize > 0) bytes.set(place, (bytes.get(place) ?? 0) + selfSize);
      children.forEach(add);
    };
    add(profile.head);
    return bytes;
  } finally {
    session.disconnect();
  }
}
