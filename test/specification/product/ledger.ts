/** The ids that the product gave to the invocations and awakeables that the specification calls by name. */
import type { Name, Target } from "../model/words.ts";

/** The names of the invocations that may exist, with their targets. */
export type Expected = ReadonlyMap<Name, Target>;

/** An id that no invocation has. */
const NO_ID = "inv_1gdJBtdVEcM942bjcDmb1c1khoaJe11Hbz";
const NO_DEPLOYMENT = `dp_1${"0".repeat(22)}`;
const NO_SUBSCRIPTION = `sub_1${"0".repeat(22)}`;

export class Ledger {
  readonly #ids = new Map<Name, string>();
  /** The ids of names whose invocations are forgotten, and of names that another one has replaced. */
  readonly #formerIds = new Map<Name, string>();
  readonly #names = new Map<string, Name>();
  readonly #created = new Map<string, string>();
  readonly #awakeables = new Map<string, string>();
  readonly #stumbles = new Map<string, number>();
  readonly #begun = new Set<string>();
  readonly #children = new Map<string, string>();
  readonly #subscriptions = new Map<Name, string>();
  readonly #commands = new Map<string, number>();
  readonly #deployments = new Map<Name, string>();

  /** @returns the id, or an id that no invocation has */
  idOf(name: Name): string {
    return this.#ids.get(name) ?? this.#formerIds.get(name) ?? NO_ID;
  }

  nameOf(id: string): Name | undefined {
    return this.#names.get(id);
  }

  knows(name: Name): boolean {
    return this.#ids.has(name);
  }

  /** @returns the name of the same invocation, if the specification may call it by another one: two callers raced for a key */
  otherNameOf(name: Name): Name | undefined {
    const id = this.knows(name) ? undefined : this.#childAt(name);
    return id && this.#names.get(id);
  }

  /** Gives a name to an id that has none. */
  bind(name: Name, id: string): void {
    if (this.#names.has(id)) return;
    for (const [former, other] of this.#ids)
      if (other === id) {
        this.#ids.delete(former);
        this.#formerIds.set(former, id);
      }
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }

  /** A life that begins anew under the id of an invocation that is forgotten has another name. */
  rebind(name: Name, id: string): void {
    this.#forget(id);
    this.bind(name, id);
  }

  /**
   * Learns which ids exist, with the moment at which each was accepted: another moment is another life.
   * @param expected the names of invocations that may exist
   */
  learn(listed: ReadonlyMap<string, string>, expected: Expected): void {
    for (const [id, name] of this.#names) if (!listed.has(id) && !expected.has(name)) this.#forget(id);
    for (const [id, created] of listed) {
      const before = this.#created.get(id);
      if (before !== undefined && before !== created) this.#forget(id);
      this.#created.set(id, created);
    }
    // Callers come before their children.
    for (const name of [...expected.keys()].sort((a, b) => a.length - b.length)) this.#nameChild(name);
  }

  #nameChild(name: Name): void {
    if (this.knows(name)) return;
    const id = this.#childAt(name);
    if (id !== undefined) this.bind(name, id);
  }

  /** The child of a step has the name of its caller and the index of the step. */
  #childAt(name: Name): string | undefined {
    const dot = name.lastIndexOf(".");
    if (dot < 0) return undefined;
    const caller = name.slice(0, dot);
    const callerId = this.#ids.get(caller) ?? this.#childAt(caller);
    return callerId && this.#children.get(`${callerId} ${name.slice(dot + 1)}`);
  }

  #forget(id: string): void {
    this.#names.delete(id);
    this.#created.delete(id);
  }

  /** True for the child of an invocation that exists and has no name yet. */
  isChildOfUnnamed(id: string): boolean {
    for (const [key, child] of this.#children) {
      const caller = key.slice(0, key.indexOf(" "));
      if (child === id && caller !== id && this.#created.has(caller) && !this.#names.has(caller)) return true;
    }
    return false;
  }

  /** @returns the id, or an id that no deployment has */
  deploymentId(name: Name): string {
    return this.#deployments.get(name) ?? NO_DEPLOYMENT;
  }

  /** A deployment keeps the name under which it was registered first. @returns the name */
  deploymentName(id: string, name: Name = `without a name: ${id}`): Name {
    for (const [known, other] of this.#deployments) if (other === id) return known;
    this.#deployments.set(name, id);
    return name;
  }

  /** @returns the id, or an id that no subscription has */
  subscriptionId(name: Name): string {
    return this.#subscriptions.get(name) ?? NO_SUBSCRIPTION;
  }

  noteSubscription(name: Name, id: string): void {
    this.#subscriptions.set(name, id);
  }

  subscriptionName(id: string): Name {
    for (const [name, other] of this.#subscriptions) if (other === id) return name;
    return `without a name: ${id}`;
  }

  noteBegun(id: string): void {
    this.#begun.add(id);
  }

  /** @returns the place of an invocation in the order in which handlers began */
  placeOf(id: string): number {
    const at = [...this.#begun].indexOf(id);
    return at < 0 ? Infinity : at;
  }

  /** A later life of the caller may have other children. */
  noteChild(parentId: string, step: number, id: string): void {
    this.#children.set(`${parentId} ${step}`, id);
  }

  /** The call has met the run of another caller. */
  dropChild(parentId: string, step: number): void {
    this.#children.delete(`${parentId} ${step}`);
  }

  noteAwakeable(id: string, step: number, awakeableId: string): void {
    this.#awakeables.set(`${id} ${step}`, awakeableId);
  }

  awakeableOf(name: Name, step: number): string | undefined {
    return this.#awakeables.get(`${this.idOf(name)} ${step}`);
  }

  /** @param commands how many the handler has made before this step, without its input */
  noteCommands(id: string, step: number, commands: number): void {
    this.#commands.set(`${id} ${step}`, commands);
  }

  commandsBefore(name: Name, step: number): number | undefined {
    return this.#commands.get(`${this.idOf(name)} ${step}`);
  }

  /** @returns how often this step of a life has been tried, with this time */
  stumbles(life: string, step: number): number {
    const key = `${life} ${step}`;
    const times = (this.#stumbles.get(key) ?? 0) + 1;
    this.#stumbles.set(key, times);
    return times;
  }
}
