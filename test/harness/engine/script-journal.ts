/** The request to a scripted handler: the start message and the journal of one attempt, decoded from its bytes. */
import { decode } from "../../../shared/core/model/proto3-decode.ts";
import type { Infer } from "../../../shared/core/model/proto3.ts";
import { NotificationMessage } from "../../../shared/core/protocol/notifications.ts";
import { type NamedMessage, decodeCommand } from "../../../shared/core/protocol/commands.ts";
import { StartMessage } from "../../../shared/core/protocol/control-messages.ts";
import { framesOf } from "../../../shared/core/protocol/frame.ts";
import { versionOfContentType } from "../../../shared/core/protocol/version.ts";
import type { ExchangeRequest } from "../../../shared/engine/ports/endpoints.ts";

export type Notification = Infer<typeof NotificationMessage>;

export interface ScriptJournal {
  readonly handler: string;
  readonly version: number;
  readonly start: Infer<typeof StartMessage>;
  readonly input: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly commands: readonly NamedMessage[];
  readonly notifications: readonly Notification[];
}

/** @throws Error if the request does not follow the protocol */
export function readJournal({ path, headers, body }: ExchangeRequest): ScriptJournal {
  const [opening, ...frames] = framesOf(Buffer.concat(body));
  if (opening?.type !== 0) throw new Error("a request opens with the start message");
  const start = decode(StartMessage, opening.payload);
  if (start.knownEntries !== frames.length)
    throw new Error(`${start.knownEntries} entries are announced, ${frames.length} come`);
  const commands: NamedMessage[] = [];
  const notifications: Notification[] = [];
  for (const { type, payload } of frames) {
    const command = decodeCommand(type, payload);
    if (command === undefined) notifications.push(decode(NotificationMessage, payload));
    else commands.push(command);
  }
  const [first] = commands;
  if (first?.name !== "Input") throw new Error("a journal opens with the input");
  return {
    handler: path.split("/").at(-1)!,
    version: versionOfContentType(headers["content-type"] ?? "") ?? 0,
    start,
    input: new TextDecoder().decode(first.message.value?.content),
    headers: Object.fromEntries(first.message.headers.map(({ key, value }) => [key, value])),
    commands,
    notifications,
  };
}
