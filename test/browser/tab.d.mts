/** @see tab.mjs. The package playwright-core is installed on demand, so the parts of it that tests use are described here. */

export interface Locator {
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  filter(options: { hasText?: string | RegExp; has?: Locator }): Locator;
  getByRole(role: string, options?: RoleOptions): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  locator(selector: string): Locator;
  click(options?: { modifiers?: readonly ("Shift" | "Control")[] }): Promise<void>;
  check(): Promise<void>;
  uncheck(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  hover(): Promise<void>;
  focus(): Promise<void>;
  selectOption(value: string | { label: string }): Promise<unknown>;
  count(): Promise<number>;
  isVisible(): Promise<boolean>;
  isDisabled(): Promise<boolean>;
  isChecked(): Promise<boolean>;
  innerText(): Promise<string>;
  allInnerTexts(): Promise<string[]>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  scrollIntoViewIfNeeded(): Promise<void>;
  boundingBox(): Promise<{ x: number; y: number; width: number; height: number } | null>;
  waitFor(options?: { state?: "visible" | "hidden" | "attached" | "detached"; timeout?: number }): Promise<void>;
}

interface RoleOptions {
  name?: string | RegExp;
  exact?: boolean;
  expanded?: boolean;
  checked?: boolean;
  pressed?: boolean;
  selected?: boolean;
}

interface ResponseOfRequest {
  text(): Promise<string>;
}

interface RouteOfRequest {
  abort(): Promise<void>;
  continue(): Promise<void>;
  fetch(): Promise<ResponseOfRequest>;
  fulfill(
    answer: { status: number; contentType?: string; body: string } | { response: ResponseOfRequest },
  ): Promise<void>;
  request(): { url(): string; method(): string; postData(): string | null };
}

interface Download {
  path(): Promise<string>;
  suggestedFilename(): string;
}

/** A page of playwright-core. */
export interface Page extends Omit<
  Locator,
  "first" | "last" | "nth" | "filter" | "press" | "focus" | "click" | "fill"
> {
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
    insertText(text: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
  };
  readonly mouse: {
    move(x: number, y: number): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
    wheel(deltaX: number, deltaY: number): Promise<void>;
  };
  goto(url: string): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  goBack(): Promise<unknown>;
  reload(): Promise<unknown>;
  /** The function runs in the page, and may use nothing from outside of itself but its argument. */
  evaluate<Result, Argument = undefined>(
    run: ((argument: Argument) => Result | Promise<Result>) | string,
    argument?: Argument,
  ): Promise<Result>;
  route(url: string | RegExp, handler: (route: RouteOfRequest) => unknown): Promise<void>;
  unroute(url: string | RegExp): Promise<void>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  emulateMedia(options: { colorScheme: "light" | "dark" }): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  waitForEvent(event: "download"): Promise<Download>;
  /** The profile, which has further tabs and the cookies. */
  context(): {
    newPage(): Promise<Page>;
    cookies(): Promise<readonly { readonly name: string; readonly value: string }[]>;
  };
  close(): Promise<void>;
}

export interface Tab {
  readonly page: Page;
  /**
   * Errors on the console, exceptions, violations of the policy, requests to other origins. Refused requests are none. A test
   * takes out those that it provokes.
   */
  readonly complaints: string[];
  /** @param route what stands behind `#/` */
  goTo(route: string): Promise<void>;
  /** Resolves when the page shows its contents, and nothing of it is still loading. */
  atRest(): Promise<void>;
  /** Faults of accessibility that are serious or critical, each with its element. */
  axe(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface TabOptions {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly timezoneId?: string;
}

export interface Browser {
  /** @param url the admin API, with a slash at its end */
  openTab(url: string, options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

/** @param signInUrl returns the address that signs a browser in at the server with the given address */
export function openBrowser(executablePath: string, signInUrl: (url: string) => Promise<string>): Promise<Browser>;
