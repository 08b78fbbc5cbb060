/** The reader's preferences at the right of the frame: zone, theme, keys, and the end of the session. */
import type { JSX } from "preact";
import { isUtc, theme, hasKeys, type Theme } from "../data/preferences.ts";
import { zoneText } from "../model/time-text.ts";
import { useState, useEffect, useRef } from "preact/hooks";
import { hasSession, needsSignIn, signOut } from "../data/session.ts";
import { activeShortcuts } from "../data/shortcuts.ts";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function Preferences({ onShowKeys }: { readonly onShowKeys: () => void }): JSX.Element {
  return (
    <div class="preferences">
      <button
        type="button"
        class="quiet"
        title={isUtc.value ? "Show times in the local zone" : "Show times in UTC"}
        onClick={() => (isUtc.value = !isUtc.value)}
      >
        <span class="visually-hidden">Times in </span>
        {isUtc.value ? "UTC" : `local (${zoneText(Date.now(), false)})`}
      </button>
      <label>
        <span class="visually-hidden">Theme</span>
        <select value={theme.value} onChange={({ currentTarget }) => (theme.value = currentTarget.value as Theme)}>
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="quiet" aria-label="Show the keys" onClick={onShowKeys}>
        ?
      </button>
      <SignOut />
    </div>
  );
}

/** The button that ends the reader's session at the server, and in all tabs. */
function SignOut(): JSX.Element | null {
  const [isFailed, setFailed] = useState(false);
  if (!hasSession.value || needsSignIn.value) return null;
  return (
    <>
      <button type="button" class="quiet" onClick={() => void signOut().then((isOut) => setFailed(!isOut))}>
        Sign out
      </button>
      {isFailed && <span role="alert">The server does not answer, so you are still signed in.</span>}
    </>
  );
}

/** The dialog that lists the keyboard shortcuts of the present page, with a checkbox that turns shortcuts on or off. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <table class="keys">
        <tbody>
          {activeShortcuts.value.map(({ keys, words }) => (
            <tr key={keys}>
              <th scope="row">
                {keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="buttons">
        <label>
          <input
            type="checkbox"
            checked={hasKeys.value}
            onChange={({ currentTarget }) => (hasKeys.value = currentTarget.checked)}
          />{" "}
          Keys do something
        </label>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
