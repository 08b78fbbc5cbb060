/** Handlers on which an operator acts: they fail, linger, wait or call each other. */
import { service, type Context } from "@restatedev/restate-sdk";
import { pause } from "./control-plane.ts";

const LOOK_MS = 20;

/** Counts attempts, and lets a test end their failures. */
export class Cures {
  readonly #attempts = new Map<string, number>();
  readonly #cured = new Set<string>();

  /** @throws Error until the name is cured */
  attempt(name: string): void {
    this.#attempts.set(name, this.attemptsOf(name) + 1);
    if (!this.#cured.has(name)) throw new Error(`${name} is ill`);
  }

  attemptsOf(name: string): number {
    return this.#attempts.get(name) ?? 0;
  }

  cure(name: string): void {
    this.#cured.add(name);
  }
}

/** @param lingering names whose first attempts last until the test removes them */
export function lifeOf(cures: Cures, lingering: Set<string>) {
  const life = service({
    name: "life",
    handlers: {
      stubborn: async (ctx: Context, name: string) => {
        const before = await ctx.run("before", () => "kept");
        cures.attempt(name);
        return `${name} ${before}`;
      },
      lingers: async (_ctx: Context, name: string) => {
        if (cures.attemptsOf(name) === 0) lingering.add(name);
        while (lingering.has(name)) await pause(LOOK_MS);
        cures.attempt(name);
        return name;
      },
      waits: async (ctx: Context) => {
        await ctx.sleep({ hours: 1 });
      },
      asks: async (ctx: Context) => {
        await ctx.serviceClient<typeof life>({ name: "life" }).waits();
      },
      tells: async (_ctx: Context, name: string) => name,
    },
  });
  return life;
}

/**
 * @param made a function that counts the runs and returns the count
 * @returns a service that keeps an idempotency key for four seconds
 */
export function briefOf(made: () => number) {
  return service({
    name: "brief",
    handlers: { make: async () => made() },
    options: { idempotencyRetention: { seconds: 4 } },
  });
}

/** Two revisions of a service: the first fails, and the second succeeds. */
export const faulty = service({
  name: "revised",
  handlers: {
    work: async (ctx: Context) => {
      await ctx.run("step", () => 1);
      throw new Error("a fault of the first revision");
    },
  },
});

export const mended = service({
  name: "revised",
  handlers: { work: async (ctx: Context) => `${await ctx.run("step", () => 2)} by the second revision` },
});
