/** One process of an engine: its ports can be watched, interrupted at any call, and cut off for good as a crash does. */
import type { Clock } from "../../../shared/engine/ports/clock.ts";
import type { Pulse } from "./pulse.ts";

export interface PortCall {
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

export class EngineProcess {
  readonly calls: PortCall[] = [];
  /** Awaited before a call is made. */
  before: ((call: PortCall) => Promise<void> | undefined) | undefined;
  readonly #pulse: Pulse;
  #isDead = false;

  constructor(pulse: Pulse) {
    this.#pulse = pulse;
  }

  /** From now on nothing that this process does has any effect, and nothing answers it. */
  die(): void {
    this.#isDead = true;
  }

  /** What was asked of one port, by the names of its methods. */
  methods(port: string): string[] {
    return this.calls.filter((call) => call.port === port).map(({ method }) => method);
  }

  /** A port as this process sees it. */
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

  /** Made in the very tick where nothing interrupts it: the order of calls is the order of effects. */
  #call(call: PortCall, make: () => Promise<unknown>): Promise<unknown> {
    if (this.#isDead) return never();
    this.calls.push(call);
    const waits = this.before?.(call);
    const made = () => (call.method === "receive" ? make() : this.#pulse.during(make()));
    const answer = waits === undefined ? made() : waits.then(() => (this.#isDead ? never() : made()));
    return answer.then((value) => this.#unlessDead(value));
  }

  #unlessDead<T>(value: T): T | Promise<T> {
    return this.#isDead ? never() : value;
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
