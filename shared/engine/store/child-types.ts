/** The types of the children of a segment, one byte for each child: their frames have no place for them. */
import type { Entry } from "../../core/invocation/entry.ts";
import type { TargetTypes } from "../../core/model/target.ts";

/** A byte is the place of its types in this list. Places never change, because they are stored; 0 stands for unknown types. */
const TYPES: readonly (TargetTypes | undefined)[] = [
  undefined,
  { serviceType: "service", handlerType: "service" },
  { serviceType: "object", handlerType: "exclusive" },
  { serviceType: "object", handlerType: "shared" },
  { serviceType: "workflow", handlerType: "workflow" },
  { serviceType: "workflow", handlerType: "shared" },
];

/** @returns undefined if no entry has the id of a child whose types are known */
export function childTypesIn(entries: readonly Entry[]): Uint8Array | undefined {
  let codes: number[] | undefined;
  let ids = 0;
  for (const entry of entries) {
    if (entry.kind !== "notification" || entry.invocationId === undefined) continue;
    const { childTypes } = entry;
    if (childTypes !== undefined) (codes ??= Array<number>(ids).fill(0)).push(codeOf(childTypes));
    else codes?.push(0);
    ids++;
  }
  return codes && Uint8Array.from(codes);
}

function codeOf({ serviceType, handlerType }: TargetTypes): number {
  const at = TYPES.findIndex((one) => one?.serviceType === serviceType && one.handlerType === handlerType);
  return Math.max(0, at);
}

/** @param codes the bytes of `childTypesIn`; absent if no child's types are known */
export function withChildTypes(entries: readonly Entry[], codes: Uint8Array | undefined): readonly Entry[] {
  if (codes === undefined) return entries;
  let ids = 0;
  return entries.map((entry) => {
    if (entry.kind !== "notification" || entry.invocationId === undefined) return entry;
    const childTypes = TYPES[codes[ids++] ?? 0];
    return childTypes === undefined ? entry : { ...entry, childTypes };
  });
}
