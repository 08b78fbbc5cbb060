/** Which source files allocate while something runs, by V8's own heap profiler: every object counts, collected ones too. */
import { Session } from "node:inspector/promises";

interface ProfileNode {
  readonly callFrame: { readonly url: string };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

/** Of what the machine allots itself, one byte in so many is looked at: all of them. */
const EVERY_BYTE = 1;

/** @returns bytes by file, the file as its address */
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
