/** Entry 0 of every journal: the Input, built from the acceptance and the same at every load. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { CommandEntry } from "../../core/invocation/entry.ts";
import { COMMANDS } from "../../core/protocol/command-messages.ts";
import { messageFrame } from "../../core/protocol/frame.ts";

export function inputEntry({ input, headers }: Acceptance): CommandEntry {
  const { code, type } = COMMANDS.Input;
  const frame = messageFrame(code, type, { headers, value: { content: input } });
  return { kind: "command", type: "Input", name: "", command: { kind: "plain" }, frame };
}
