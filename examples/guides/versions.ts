/** One handler in three versions: the code with which invocations began, a change that fits their journals, and one that does not. */
import type { Context } from "@restatedev/restate-sdk";

/** The other system; a test replaces it. */
export const shop = {
  reserve: (order: string): Promise<string> => Promise.resolve(`reserved ${order}`),
  charge: (order: string): Promise<string> => Promise.resolve(`receipt of ${order}`),
};

type Place = (ctx: Context, order: string) => Promise<string>;

/** The code with which invocations began. They sleep. */
export const began: Place = async (ctx, order) => {
  await ctx.run("reserve", () => shop.reserve(order));
  await ctx.sleep({ seconds: 1 }, "cooling off");
  return await ctx.run("charge", () => shop.charge(order));
};

/** This fits: a new step stands behind the sleep, where no journal has been yet. */
export const fits: Place = async (ctx, order) => {
  await ctx.run("reserve", () => shop.reserve(order));
  await ctx.sleep({ seconds: 1 }, "cooling off");
  const receipt = await ctx.run("charge", () => shop.charge(order));
  return await ctx.run("notify", () => `${receipt}, and notified`);
};

/** This does not: a step stands where the journal has the sleep. */
export const mismatches: Place = async (ctx, order) => {
  await ctx.run("reserve", () => shop.reserve(order));
  await ctx.run("notify", () => "notified");
  return await ctx.run("charge", () => shop.charge(order));
};
