/** The account of a fixture's writer, beside the stored items: the ids, and the steps that ran. */

export interface Account {
  /** The commit that wrote it. */
  readonly commit: string;
  /** The moment of its last item. */
  readonly writtenAtMs: number;
  readonly deploymentId: string;
  /** By the name of the state; of children by `<name>-child`. */
  readonly ids: Readonly<Record<string, string>>;
  /** The executions of each step, by `<name>/<step>`. */
  readonly ran: Readonly<Record<string, number>>;
  /** By the name of the state. */
  readonly awakeables: Readonly<Record<string, string>>;
  /** SSM values of the functions, by name; a version that keeps its secret in the table never read them. */
  readonly parameters: Readonly<Record<string, string>>;
}
