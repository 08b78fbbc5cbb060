/** The state of one key of an object or a workflow: its answer, and the request that replaces it. */
import * as z from "zod";
import { type Answer, maybeText, optional, text, whole } from "./members.ts";

export const ShowStateQuery = z.object({
  object_key: text.describe("The key whose state is shown."),
  scope: optional(text).describe("The scope of the key; none unless given."),
});

const State = z.object({
  object_key: text,
  /** Identifies this state. The server refuses an edit that names this version after the state has changed. */
  version: text,
  /** The values by name; `utf8` is present for texts. */
  state: z.record(text, z.object({ bytes: z.array(whole), utf8: maybeText })),
});
export type StateBody = Answer<typeof State>;

const stateValue = z
  .union([
    z.array(z.int().min(0).max(255)).transform((bytes) => Uint8Array.from(bytes)),
    z.string().transform((value) => new TextEncoder().encode(value)),
  ])
  .describe("The bytes of the value as numbers, or a text for its UTF-8 bytes.");

/**
 * A name that a handler uses may have at most 65,536 bytes. The schema counts characters, and this many characters take at
 * most 65,535 bytes in UTF-8.
 */
const NAME_MAX_CHARACTERS = 21_845;

export const EditState = z
  .object({
    object_key: z.string().max(NAME_MAX_CHARACTERS).describe("The key of the object, or the id of the workflow."),
    new_state: z
      .record(z.string().max(NAME_MAX_CHARACTERS), stateValue)
      .describe("The whole state: what is not named is removed."),
    version: optional(text).describe("Only where the state is this one; any is replaced unless given."),
    scope: optional(text).describe("The scope of the key; none unless given."),
  })
  .meta({ id: "EditState" });
