/** Tests the state of a key as the editor reads, changes and sends it. */
import { expect, test } from "vitest";
import { bytesOfText, editableText, formOf } from "../../../ui/model/byte-text.ts";
import { changedNames, edited, newStateBody, stateOf } from "../../../ui/model/key-state.ts";

const { values } = stateOf({
  object_key: "k",
  version: "v",
  state: JSON.parse('{"a":{"bytes":[49]},"__proto__":{"bytes":[255]}}') as never,
});

test("an edit sets, removes or clears, and leaves the other values byte for byte", () => {
  const set = edited(values, { kind: "set", name: "b", bytes: Uint8Array.of(0) });
  expect(changedNames(values, set)).toEqual(["b"]);
  expect(changedNames(values, edited(values, { kind: "remove", name: "a" }))).toEqual(["a"]);
  expect(edited(values, { kind: "clear" }).size).toBe(0);
});

test("a value of text is sent as text, other bytes as numbers, under any name", () => {
  const body = newStateBody(edited(values, { kind: "set", name: "bom", bytes: Uint8Array.of(0xef, 0xbb, 0xbf, 49) }));
  expect(JSON.stringify(body)).toBe('{"a":"1","__proto__":[255],"bom":"\ufeff1"}');
});

test("bytes are edited as text where they are UTF-8, else as hexadecimal", () => {
  expect(formOf(Uint8Array.of(255))).toBe("hex");
  expect(editableText(Uint8Array.of(255, 0), "hex")).toBe("ff 00");
  expect(bytesOfText("ff 00\n1", "hex")).toBeUndefined();
  expect(bytesOfText("fF 00", "hex")).toEqual(Uint8Array.of(255, 0));
});
