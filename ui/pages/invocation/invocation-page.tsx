/** The page of one invocation: its waits, its timeline, its failures and its facts. */
import type { JSX } from "preact";
import { useMemo, useState, useEffect, useRef } from "preact/hooks";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import type { ApiProblem } from "../../data/api.ts";
import { useInvocation } from "../../data/invocation.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { useSubject } from "../../data/subject.ts";
import { invocationSubject } from "../../model/page-title.ts";
import { hrefTo } from "../../model/route.ts";
import { lookOf } from "../../model/status-look.ts";
import { visibleText } from "../../model/visible-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LoadedView } from "../../parts/states.tsx";
import { AskedDialog, type Asked } from "./dialogs.tsx";
import { AttemptList } from "./attempts.tsx";
import { Facts } from "./facts.tsx";
import { Failures } from "./failures.tsx";
import { Header } from "./header.tsx";
import { Mismatch } from "./mismatch.tsx";
import { Timeline } from "./timeline.tsx";
import { Waits } from "./waits.tsx";
import { changesText } from "../../model/invocation-actions.ts";
import { countText } from "../../model/size-text.ts";

export function InvocationPage({ id }: { readonly id: string }): JSX.Element {
  const polled = useInvocation(id);
  const { value, problem } = polled.state.value;
  const refresh = polled.refresh.bind(polled);
  useShortcuts(useMemo(() => [{ keys: "r", words: "Read again", run: () => void polled.refresh() }], [polled]));
  if (problem?.status === 404 || problem?.status === 400) return <Gone id={id} problem={problem} former={value} />;
  return (
    <LoadedView loaded={polled.state.value} onRetry={() => void refresh()}>
      {(body) => <Whole body={body} onChange={refresh} />}
    </LoadedView>
  );
}

interface WholeProps {
  readonly body: InvocationBody;
  readonly onChange: () => Promise<void>;
}

function Whole({ body, onChange }: WholeProps): JSX.Element {
  const [asked, setAsked] = useState<Asked>();
  useSubject(invocationSubject(body), lookOf(body.status, body.outcome).tone);
  return (
    <article class="invocation">
      <Header body={body} onAsk={setAsked} />
      <Announced body={body} />
      <Waits body={body} onAsk={setAsked} />
      {body.mismatch !== undefined && <Mismatch body={body} mismatch={body.mismatch} onAsk={setAsked} />}
      <Failures body={body} />
      <Timeline body={body} onAsk={setAsked} />
      <AttemptList facts={body} />
      <NewEntries count={body.entry_count} />
      <Facts body={body} />
      {asked !== undefined && (
        <AskedDialog
          key={`${asked.kind}-${asked.kind === "action" ? asked.action : asked.id}`}
          asked={asked}
          body={body}
          onChange={onChange}
          onClose={() => setAsked(undefined)}
        />
      )}
    </article>
  );
}

interface GoneProps {
  readonly id: string;
  readonly problem: ApiProblem;
  /** The invocation as it was before it went away, if this page has seen it. */
  readonly former: InvocationBody | undefined;
}

function Gone({ id, problem, former }: GoneProps): JSX.Element {
  return (
    <div class="empty">
      <h1>No such invocation</h1>
      <p>
        <ForeignText text={id} maxChars={80} class="mono break" /> <CopyButton text={id} what="id" />
      </p>
      <p>
        {problem.status === 400
          ? visibleText(problem.message)
          : "It was purged, its retention is over, it ended before its first attempt, or there never was one."}
      </p>
      <p>
        {former === undefined ? (
          <a href={hrefTo("invocations")}>See the invocations that are there.</a>
        ) : (
          <a href={hrefTo("invocations", [], { service: former.target_service_name })}>
            See other invocations of {former.target_service_name}.
          </a>
        )}
      </p>
    </div>
  );
}

/** A handler may store an entry each second, and a screen reader needs some seconds to read one sentence. */
const SAID_EVERY_MS = 10_000;

/** A polite live region: it says the status, the step that runs and the number of entries when they have changed. */
function Announced({ body }: { readonly body: InvocationBody }): JSX.Element {
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
function NewEntries({ count }: { readonly count: number }): JSX.Element | null {
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
