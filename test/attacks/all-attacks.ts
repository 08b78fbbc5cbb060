/** All attacks, in order of execution. */
import type { Attack } from "./attack.ts";
import { CONNECTION_ATTACKS } from "./connection-attacks.ts";
import { HTTP_ATTACKS } from "./http-attacks.ts";
import { FRAME_ATTACKS } from "./frame-attacks.ts";
import { INBOX_ATTACKS } from "./inbox-attacks.ts";
import { MESSAGE_ATTACKS } from "./message-attacks.ts";
import { ODD_VALUE_ATTACKS } from "./odd-value-attacks.ts";
import { OPEN_ATTACKS } from "./open-attacks.ts";
import { STATE_ATTACKS } from "./state-attacks.ts";
import { STATEMENT_ATTACKS } from "./statement-attacks.ts";
import { VOLUME_ATTACKS } from "./volume-attacks.ts";

/** Into how many parts the attacks are divided; each commit runs one. */
export const PARTS = 3;

export const ATTACKS: readonly Attack[] = [
  ...MESSAGE_ATTACKS,
  ...VOLUME_ATTACKS,
  ...INBOX_ATTACKS,
  ...FRAME_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...ODD_VALUE_ATTACKS,
  ...STATE_ATTACKS,
  ...STATEMENT_ATTACKS,
  ...HTTP_ATTACKS,
  ...OPEN_ATTACKS,
];
