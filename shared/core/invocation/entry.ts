/** The entries of a journal: commands from the SDK and notifications from Stepwell, each with its exact wire bytes. */
import type { TargetTypes } from "../model/target.ts";
import type { Command, CommandName } from "../protocol/commands.ts";
import type { NotificationId } from "../protocol/notifications.ts";

export interface CommandEntry {
  readonly kind: "command";
  readonly type: CommandName;
  /** The name that the handler gave the command; empty if it gave none. */
  readonly name: string;
  readonly command: Command;
  /** The message's header and payload as received; they are replayed byte for byte (I9). */
  readonly frame: Uint8Array;
  /** When this server received the end of the message; absent in entries that a restart copied. */
  readonly receivedAtMs?: number;
}

export interface NotificationEntry {
  readonly kind: "notification";
  readonly type: string;
  readonly id: NotificationId;
  readonly failed: boolean;
  /** Present on the completion that contains a child's invocation id. */
  readonly invocationId?: string;
  /**
   * The types of the child's target when its id was made. A redo accepts the child with these types, even if no deployment offers
   * the service any more.
   */
  readonly childTypes?: TargetTypes;
  readonly frame: Uint8Array;
  /** When this server received the result of a run, or learned of the completion or the signal; absent as in a command. */
  readonly receivedAtMs?: number;
}

export type Entry = CommandEntry | NotificationEntry;
