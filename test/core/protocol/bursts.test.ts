/** Tests which entries of an answer count as one delivery, because the transport may have kept them back. */
import { expect, test } from "vitest";
import { inBursts, type Received } from "../../../shared/core/protocol/received.ts";

const at = (receivedAtMs?: number): Received => ({
  kind: "proposal",
  completionId: 1,
  failed: false,
  frame: new Uint8Array(0),
  ...(receivedAtMs !== undefined && { receivedAtMs }),
});

test.each([
  ["no entries", [], []],
  ["chunks that follow at once have the moment of the last one", [100, 101, 119, 139], [139, 139, 139, 139]],
  ["a step that takes longer than a transport pauses separates two deliveries", [100, 121, 130], [100, 130, 130]],
  ["entries of one chunk have one moment", [100, 100, 400], [100, 100, 400]],
  ["an unknown moment stays unknown", [undefined, 100], [undefined, 100]],
])("%s", (_, given, expected) => {
  expect(inBursts(given.map(at)).map(({ receivedAtMs }) => receivedAtMs)).toEqual(expected);
});
