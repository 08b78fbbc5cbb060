/** State and promises of a scripted handler: reads use the state of the request, and see the handler's own changes. */
import type { Awaited } from "./script-awaits.ts";
import type { ScriptContext } from "./script-context.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Reads from the state of the request and from this attempt's own changes. */
export class ScriptState {
  readonly #ctx: ScriptContext;
  readonly #values = new Map<string, string>();

  constructor(ctx: ScriptContext) {
    this.#ctx = ctx;
    for (const { key, value } of ctx.journal.start.stateMap)
      this.#values.set(decoder.decode(key), decoder.decode(value));
  }

  /** True if a key may exist although the request lacks it. */
  get partial(): boolean {
    return this.#ctx.journal.start.partialState;
  }

  /** True if the request tells the value of the key, or that it has none. */
  knows(key: string): boolean {
    return this.#values.has(key) || !this.partial;
  }

  /** Reads as SDKs do: the command is journaled with its result. */
  get(key: string): string | undefined {
    const value = this.#values.get(key);
    const result = value === undefined ? { void: {} } : { value: { content: encoder.encode(value) } };
    this.#ctx.command("GetEagerState", { key: encoder.encode(key), ...result });
    return value;
  }

  set(key: string, value: string): void {
    this.#values.set(key, value);
    this.#ctx.command("SetState", { key: encoder.encode(key), value: { content: encoder.encode(value) } });
  }

  clear(key: string): void {
    this.#values.delete(key);
    this.#ctx.command("ClearState", { key: encoder.encode(key) });
  }

  clearAll(): void {
    this.#values.clear();
    this.#ctx.command("ClearAllState", {});
  }

  /** Asks the server for the value, as SDKs do if the request contains only a part of the state. */
  lazy(key: string): Awaited<string> {
    return this.#ctx.completable("GetLazyState", { key: encoder.encode(key) });
  }

  lazyKeys(): Awaited<string> {
    return this.#ctx.completable("GetLazyStateKeys", {});
  }
}

export function getPromise(ctx: ScriptContext, name: string): Awaited<string> {
  return ctx.completable("GetPromise", { key: name });
}

export function peekPromise(ctx: ScriptContext, name: string): Awaited<string> {
  return ctx.completable("PeekPromise", { key: name });
}

export function completePromise(ctx: ScriptContext, name: string, value: string): Awaited<string> {
  return ctx.completable("CompletePromise", { key: name, completionValue: { content: encoder.encode(value) } });
}
