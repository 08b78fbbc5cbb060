/** One process of an engine: a test can watch its ports, interrupt any call, and cut the process off as a crash does. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Pulse } from "./pulse.ts";

export interface PortCall {
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

export class EngineProcess {
  readonly calls: PortCall[] = [];
  /** Awaited before each call. */
  before: ((call: PortCall) => Promise<void> | undefined) | undefined;
  /** Called after each call has had its effect, before its caller gets the answer. */
  after: ((call: PortCall) => void) | undefined;
  readonly #pulse: Pulse;
  #isDead = false;

  constructor(pulse: Pulse) {
    this.#pulse = pulse;
  }

  /** Cuts the process off: from now on its calls have no effect and get no answer. */
  die(): void {
    this.#isDead = true;
  }

  /** @returns the methods that the process called on one port, in order */
  methods(port: string): string[] {
    return this.calls.filter((call) => call.port === port).map(({ method }) => method);
  }

  /** Wraps a port for this process. */
  watch<T extends object>(port: string, behind: T): T {
    return new Proxy(behind, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) =>
          this.#call({ port, method: String(property), args }, () => value.apply(target, args) as Promise<unknown>);
      },
    });
  }

  clock(behind: Clock): Clock {
    return {
      nowMs: () => behind.nowMs(),
      sleep: async (ms, signal) => this.#unlessDead(await behind.sleep(ms, signal)),
    };
  }

  /** Makes the call in the same tick if nothing interrupts it, so that the order of calls is the order of effects. */
  #call(call: PortCall, make: () => Promise<unknown>): Promise<unknown> {
    if (this.#isDead) return never();
    this.calls.push(call);
    const waits = this.before?.(call);
    const made = () => (call.method === "receive" ? make() : this.#pulse.during(make()));
    const answer = waits === undefined ? made() : waits.then(() => (this.#isDead ? never() : made()));
    return answer.then((value) => {
      if (!this.#isDead) this.after?.(call);
      return this.#unlessDead(value);
    });
  }

  #unlessDead<T>(value: T): T | Promise<T> {
    return this.#isDead ? never() : value;
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
