/** @see browser.mjs */
import type { Origin } from "./origin.ts";

export interface Shown {
  readonly text: string;
  /** Errors on the console of the page, and exceptions. */
  readonly complaints: readonly string[];
  readonly requests: ReturnType<Origin["requests"]>;
}

/** What a step needs of the page of playwright-core. */
export interface Page {
  getByRole(role: string, options: { name: string | RegExp; exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  locator(selector: string): Locator;
  readonly keyboard: { press(key: string): Promise<void>; insertText(text: string): Promise<void> };
}

interface Locator {
  first(): Locator;
  last(): Locator;
  click(): Promise<void>;
}

export type Step = (page: Page) => Promise<void>;

export interface Tab {
  show(path: string, plain: (text: string) => string, steps: readonly Step[]): Promise<Shown>;
  /** Reads the page that the tab shows once more. */
  look(plain: (text: string) => string): Promise<Shown>;
}

export interface Browser {
  openTab(origin: Origin): Promise<Tab>;
  close(): Promise<void>;
}

export function openBrowser(executablePath: string): Promise<Browser>;
