/** A dialog with a title, for changes that take more than one step. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface DialogFrameProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The buttons beside the one that closes the dialog. */
  readonly buttons?: ComponentChildren;
  /** The words of the button that closes the dialog. */
  readonly closeWords: string;
  readonly onClose: () => void;
}

export function DialogFrame({ title, children, buttons, closeWords, onClose }: DialogFrameProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog wide" aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      <div class="buttons">
        {buttons}
        <button type="button" onClick={() => dialog.current?.close()}>
          {closeWords}
        </button>
      </div>
    </dialog>
  );
}
