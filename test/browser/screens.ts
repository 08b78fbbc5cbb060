/** Screenshots of a page in both widths and both colour schemes, each checked for serious faults of accessibility. */
import { join } from "node:path";
import { expect, inject } from "vitest";
import type { Stage } from "./stage.ts";
import type { Tab } from "./tab.mjs";

const WIDTHS = [1280, 390] as const;
const SCHEMES = ["light", "dark"] as const;

/**
 * @param name of the file, such as `overview-full`
 * @param prepare goes to the page and waits until it shows what the picture is about
 */
export async function keepScreens(stage: Stage, name: string, prepare: (tab: Tab) => Promise<void>): Promise<void> {
  for (const width of WIDTHS)
    for (const colorScheme of SCHEMES) {
      const tab = await stage.openTab({ width, colorScheme });
      await prepare(tab);
      await tab.page.screenshot({ path: join(inject("screensFolder"), `${name}-${width}-${colorScheme}.png`) });
      expect(await tab.axe()).toEqual([]);
      const overflow = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${name} at ${width} px is wider than the window`).toBeLessThanOrEqual(0);
    }
}
