/** Samples the memory of functions. */
import { readFileSync } from "node:fs";
import { processesOf } from "../e2e-aws/function-processes.ts";
import type { Functions } from "./killer.ts";

export interface Growth {
  readonly name: string;
  /** The memory of the largest process, at the beginning and at the end. */
  readonly firstMb: number;
  readonly lastMb: number;
  readonly mostMb: number;
  readonly processesMost: number;
}

export class MemoryWatch {
  readonly #functions: Functions;
  readonly #seen = new Map<string, { mb: number[]; processesMost: number }>();

  constructor(functions: Functions) {
    this.#functions = functions;
  }

  look(): void {
    for (const [name, functionName] of Object.entries(this.#functions)) {
      const sizes = processesOf([functionName])
        .map(residentMb)
        .filter((mb) => mb > 0);
      const seen = this.#seen.get(name) ?? { mb: [], processesMost: 0 };
      if (sizes.length > 0) seen.mb.push(Math.max(...sizes));
      seen.processesMost = Math.max(seen.processesMost, sizes.length);
      this.#seen.set(name, seen);
    }
  }

  told(): Growth[] {
    return [...this.#seen].map(([name, { mb, processesMost }]) => {
      const share = Math.max(1, Math.floor(mb.length / 10));
      const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);
      return {
        name,
        firstMb: most(mb.slice(0, share)),
        lastMb: most(mb.slice(-share)),
        mostMb: most(mb),
        processesMost,
      };
    });
  }
}

function residentMb(pid: number): number {
  try {
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
