/** Tests the catalogue of commands, reading stored frames as commands, and converting failures between wire and model. */
import { expect, test } from "vitest";
import { COMMANDS, commandOf } from "../../../shared/core/protocol/commands.ts";
import { failureFromWire, failureToWire } from "../../../shared/core/protocol/wire-values.ts";
import { COMMAND_VECTORS } from "./golden-commands.ts";
import { NOTIFICATION_VECTORS } from "./golden-notifications.ts";
import { bad, badWithMetadata } from "./golden-vector.ts";
import { hex } from "./hex.ts";

test("each stored command is read with its name, and no notification is read as a command", () => {
  for (const { name, hex: digits, value } of COMMAND_VECTORS) {
    expect(commandOf(hex(digits))).toEqual({ name, message: value });
  }
  for (const { hex: digits } of NOTIFICATION_VECTORS) expect(commandOf(hex(digits))).toBeUndefined();
});

test("no two commands have one code, and no two completions", () => {
  const rows = Object.values(COMMANDS);
  expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length);
  const completions = rows.flatMap(({ completion }) => (completion === undefined ? [] : [completion.code]));
  expect(new Set(completions).size).toBe(completions.length);
});

test("bytes that are no frame are refused", () => {
  expect(() => commandOf(hex("0411 0000 00000009 5801"))).toThrow(RangeError);
});

test("the metadata of a failure is written only for V6 and V7, and is absent if the failure has none", () => {
  const plain = { code: 500, message: "bad" };
  const { metadata } = badWithMetadata;
  expect(failureToWire({ ...plain, metadata, stacktrace: "at x" }, 7)).toEqual(badWithMetadata);
  expect(failureToWire({ ...plain, metadata }, 6)).toEqual(badWithMetadata);
  expect(failureToWire({ ...plain, metadata }, 5)).toEqual(bad);
  expect(failureFromWire(bad)).toEqual(plain);
  expect(failureFromWire(badWithMetadata)).toEqual({ ...plain, metadata });
});
