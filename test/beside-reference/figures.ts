/** Counts what was compared. */
import type { Picture } from "./picture.ts";

interface ShownJournal {
  readonly commands: readonly unknown[];
  readonly notifications: Readonly<Record<string, readonly unknown[]>>;
}

export function commandsOf(picture: Picture): number {
  return journalsOf(picture).reduce((sum, { commands }) => sum + commands.length, 0);
}

export function entriesOf(picture: Picture): number {
  const notifications = journalsOf(picture).flatMap((journal) => Object.values(journal.notifications));
  return commandsOf(picture) + notifications.reduce((sum, some) => sum + some.length, 0);
}

function journalsOf(picture: Picture): readonly ShownJournal[] {
  return Object.values(picture["invocations"] as Readonly<Record<string, ShownJournal>>);
}
