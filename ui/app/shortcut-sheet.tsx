/** The dialog that lists the keyboard shortcuts of the present page, with a checkbox that turns shortcuts on or off. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hasKeys } from "../data/preferences.ts";
import { activeShortcuts } from "../data/shortcuts.ts";

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
