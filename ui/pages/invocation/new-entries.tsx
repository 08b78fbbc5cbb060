/** What changes while the reader looks at an open invocation: said for screen readers, and reachable if it is out of view. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { changesText } from "../../model/changes-text.ts";
import { countText } from "../../model/size-text.ts";

/** A handler may store an entry each second, and a screen reader needs some seconds to read one sentence. */
const SAID_EVERY_MS = 10_000;

/** A polite live region: it says the status, the step that runs and the number of entries when they have changed. */
export function Announced({ body }: { readonly body: InvocationBody }): JSX.Element {
  const words = changesText(body);
  const [said, setSaid] = useState("");
  const first = useRef(words);
  const saidAtMs = useRef(0);
  useEffect(() => {
    // The page itself has the facts with which it opens.
    if (words === first.current && said === "") return;
    const waitMs = Math.max(0, saidAtMs.current + SAID_EVERY_MS - performance.now());
    const timer = setTimeout(() => {
      saidAtMs.current = performance.now();
      setSaid(words);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <p role="status" class="visually-hidden">
      {said}
    </p>
  );
}

/** The button appears when entries are stored below the view, and leads to them. */
export function NewEntries({ count }: { readonly count: number }): JSX.Element | null {
  const seen = useRef(count);
  const [unseen, setUnseen] = useState(0);
  useEffect(() => {
    const look = (): void => {
      const end = listEnd();
      if (end === undefined || end <= innerHeight) seen.current = count;
      setUnseen(Math.max(0, count - seen.current));
    };
    // The rows of new entries are laid out after this render.
    const frame = requestAnimationFrame(look);
    addEventListener("scroll", look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", look);
    };
  }, [count]);
  if (unseen === 0) return null;
  return (
    <button
      type="button"
      class="new-entries"
      onClick={() => scrollBy(0, (listEnd() ?? 0) - innerHeight + END_MARGIN_PX)}
    >
      ↓ {countText(unseen)} new {unseen === 1 ? "entry" : "entries"}
    </button>
  );
}

const END_MARGIN_PX = 48;

/** Where the rows of the timeline end, in the view. */
function listEnd(): number | undefined {
  return document.querySelector(".timeline .window-list")?.getBoundingClientRect().bottom;
}
