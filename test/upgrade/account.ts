/** An account is the part of a fixture beside its stored items: it records mainly the ids and the executed steps. */

export interface Account {
  /** The commit whose code wrote the fixture. */
  readonly commit: string;
  /** The moment of its last item. */
  readonly writtenAtMs: number;
  readonly deploymentId: string;
  /** The ids of invocations by the `name` of their `State` (`state.ts`), and of children by `<name>-child`. */
  readonly ids: Readonly<Record<string, string>>;
  /** The executions of each step, by `<name>/<step>`. */
  readonly ran: Readonly<Record<string, number>>;
  /** The ids of awakeables, by the name of the state. */
  readonly awakeables: Readonly<Record<string, string>>;
  /** SSM values of the functions, by name. A version that keeps its secret in the table does not read them. */
  readonly parameters: Readonly<Record<string, string>>;
}
