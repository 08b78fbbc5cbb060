/** Finds the source files that allocate during a run, with V8's sampling heap profiler; collected objects count as well. */
import { Session } from "node:inspector/promises";

interface ProfileNode {
  readonly callFrame: { readonly url: string };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

/** The sampling interval in bytes: one byte samples every allocation. */
const EVERY_BYTE = 1;

/** @returns the allocated bytes by the URL of the source file */
export async function allocatingFiles(run: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
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
    const add = ({ callFrame: { url }, selfSize, children }: ProfileNode): void => {
      if (selfSize > 0) bytes.set(url, (bytes.get(url) ?? 0) + selfSize);
      children.forEach(add);
    };
    add(profile.head);
    return bytes;
  } finally {
    session.disconnect();
  }
}
