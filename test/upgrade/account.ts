/** What the writer of a fixture tells of it, beside what is stored: who is who, and what has happened. */

export interface Account {
  /** The commit that wrote it. */
  readonly commit: string;
  /** When its last item was written. */
  readonly writtenAtMs: number;
  readonly deploymentId: string;
  /** By the names of the states; of children by `<name>-child`. */
  readonly ids: Readonly<Record<string, string>>;
  /** How often each step ran, by `<name>/<step>`. */
  readonly ran: Readonly<Record<string, number>>;
  /** By the names of the states. */
  readonly awakeables: Readonly<Record<string, string>>;
  /** Values of SSM that the functions were given, by name; a version that keeps its secret in the table never asked. */
  readonly parameters: Readonly<Record<string, string>>;
}
