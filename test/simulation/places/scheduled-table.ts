/** A table whose calls wait until the search lets them take effect, one at a time. */
import type { Table } from "../../../shared/engine/ports/table.ts";

export interface Waiting {
  readonly method: string;
  readonly args: readonly unknown[];
  /** Takes effect, and answers the caller. */
  readonly pass: () => Promise<unknown>;
}

const WRITES: ReadonlySet<string> = new Set(["put", "update", "delete", "transact"]);

export function isWrite({ method }: Waiting): boolean {
  return WRITES.has(method);
}

/** @param waiting gets each call, in order */
export function scheduledTable(behind: Table, waiting: Waiting[]): Table {
  return new Proxy(behind, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          const pass = async (): Promise<unknown> => {
            try {
              const answer: unknown = await value.apply(target, args);
              resolve(answer);
              return answer;
            } catch (error) {
              reject(error as Error);
              return String(error);
            }
          };
          waiting.push({ method: String(property), args, pass });
        });
    },
  });
}
