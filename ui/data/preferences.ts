/** The reader's preferences, kept in the browser: the theme, the time zone, and whether keyboard shortcuts work. */
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const PREFIX = "stepwell.";

export const theme = signal<Theme>(themeIn(read("theme")));
export const isUtc = signal(read("utc") === "yes");
export const hasKeys = signal(read("keys") !== "no");

effect(() => {
  write("theme", theme.value);
  document.documentElement.dataset["theme"] = theme.value;
});
effect(() => write("utc", isUtc.value ? "yes" : "no"));
effect(() => write("keys", hasKeys.value ? "yes" : "no"));

function themeIn(text: string | null): Theme {
  return text === "light" || text === "dark" ? text : "system";
}

/** A browser may forbid storage; then preferences last as long as the page. */
export function read(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function write(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Nothing is lost but the preference.
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Without storage there was nothing to keep.
  }
}
