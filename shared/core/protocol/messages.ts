/** The registry of all messages: code, name, direction, and the protocol versions that have them in this shape. */
import type { MessageType } from "../model/proto3.ts";
import { COMMANDS } from "./commands.ts";
import * as control from "./control-messages.ts";
import { NOTIFICATIONS, NotificationMessage } from "./notifications.ts";
import { PROTOCOL_VERSIONS, type ProtocolVersion } from "./version.ts";

export interface MessageRow {
  readonly code: number;
  readonly name: string;
  readonly family: "control" | "command" | "notification";
  /** Commands go both ways: new ones come from the deployment, replayed ones go to it. */
  readonly direction: "to-deployment" | "from-deployment" | "both";
  readonly versions: readonly ProtocolVersion[];
  readonly type: MessageType<unknown>;
}

type ControlRow = readonly [
  name: keyof typeof control.CONTROL,
  direction: MessageRow["direction"],
  versions: readonly ProtocolVersion[],
  type: MessageType<unknown>,
];

const controlRows: readonly ControlRow[] = [
  ["Start", "to-deployment", PROTOCOL_VERSIONS, control.StartMessage],
  ["Suspension", "from-deployment", [5, 6], control.SuspensionListsMessage],
  ["Suspension", "from-deployment", [7], control.SuspensionTreeMessage],
  ["Error", "from-deployment", PROTOCOL_VERSIONS, control.ErrorMessage],
  ["End", "from-deployment", PROTOCOL_VERSIONS, control.EndMessage],
  ["CommandAck", "to-deployment", PROTOCOL_VERSIONS, control.CommandAckMessage],
  ["ProposeRunCompletion", "from-deployment", PROTOCOL_VERSIONS, control.ProposeRunCompletionMessage],
  ["AwaitingOn", "from-deployment", [7], control.AwaitingOnMessage],
  ["ProposeRunCompletionAck", "to-deployment", [7], control.RunCompletionAckMessage],
];

export const MESSAGES: readonly MessageRow[] = [
  ...controlRows.map(([name, direction, versions, type]): MessageRow => ({
    code: control.CONTROL[name],
    name,
    family: "control",
    direction,
    versions,
    type,
  })),
  ...Object.entries(COMMANDS).map(([name, { code, type }]): MessageRow => ({
    code,
    name,
    family: "command",
    direction: "both",
    versions: PROTOCOL_VERSIONS,
    type,
  })),
  ...Object.entries(NOTIFICATIONS).map(([name, code]): MessageRow => ({
    code,
    name,
    family: "notification",
    direction: "to-deployment",
    versions: PROTOCOL_VERSIONS,
    type: NotificationMessage,
  })),
];

/** @returns undefined if the version has no message with that code */
export function messageOf(code: number, version: ProtocolVersion): MessageRow | undefined {
  return MESSAGES.find((row) => row.code === code && row.versions.includes(version));
}

/** The text of a code for error messages, even if no message has the code. */
export function codeText(code: number): string {
  const hex = `0x${code.toString(16).padStart(4, "0")}`;
  const name = MESSAGES.find((row) => row.code === code)?.name;
  return name === undefined ? hex : `${name} (${hex})`;
}
