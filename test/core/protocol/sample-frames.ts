/** Frames of an attempt in hexadecimal, and the setting of the conversation that receives them. */
import type { ConversationSetting } from "../../../shared/core/protocol/conversation.ts";
import type { ProtocolVersion } from "../../../shared/core/protocol/version.ts";

export const RUN = "0411000000000006 5801 62027230";
export const RUN_2 = "0411000000000002 5802";
export const PROPOSE = "0005000000000005 0801 720130";
export const PROPOSE_AGAIN = "0005000000000005 0801 720131";
export const PROPOSE_2 = "0005000000000005 0802 720132";
export const COMPLETION = "8011000000000007 0801 2a030a0130";
export const OUTPUT = "0401000000000007 72050a035b305d";
export const SLEEP = "040c000000000009 0880d095ffbc31 5803";
export const END = "0003000000000000";
export const SUSPENSION = "0001000000000006 0a0101 120101";
export const SUSPENSION_V7 = "000100000000000a 2208 0a0101 120101 2801";
export const ERROR = "0002000000000009 08f403 1204626f6f6d";
export const AWAITING_ON = "0006000000000007 0a05 0a0101 2801";

export const setting = (version: ProtocolVersion = 6): ConversationSetting => ({
  version,
  messageSizeMaxBytes: 1000,
  openRuns: new Set<number>(),
  hasOutput: false,
});
