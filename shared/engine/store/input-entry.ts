/** Entry 0 of every journal, the Input: built from the acceptance, and the same at every load. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { CommandEntry } from "../../core/invocation/entry.ts";
import { CALLER_HEADER, isCallerHeader } from "../../core/model/caller.ts";
import { COMMANDS } from "../../core/protocol/commands.ts";
import { messageFrame } from "../../core/protocol/frame.ts";

/** The caller's header comes from the acceptance alone. A submitted header of that name is dropped, because it may be forged. */
export function inputEntry({ input, headers: given, createdBy, createdAtMs }: Acceptance): CommandEntry {
  const { code, type } = COMMANDS.Input;
  const others = given.some(({ key }) => isCallerHeader(key)) ? given.filter(({ key }) => !isCallerHeader(key)) : given;
  const headers = createdBy === undefined ? others : [...others, { key: CALLER_HEADER, value: createdBy }];
  const frame = messageFrame(code, type, { headers, value: { content: input } });
  return { kind: "command", type: "Input", name: "", command: { kind: "input" }, frame, receivedAtMs: createdAtMs };
}
