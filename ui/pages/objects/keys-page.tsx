/** The keys of one service, the largest state first. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { askKeys, type KeyList, type KeyRow } from "../../data/keys.ts";
import { goTo } from "../../data/location.ts";
import { usePolled } from "../../data/polled.ts";
import { readsHaveAPrice } from "../../data/api.ts";
import { keyHref } from "../../model/key-name.ts";
import { hrefTo } from "../../model/route.ts";
import { countText, sizeText } from "../../model/size-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { WindowList } from "../../parts/window-list.tsx";

const EVERY_MS = 15_000;
const ROW_PX = 28;
const KEY_CHARS = 80;

export function KeysPage({ service }: { readonly service: string }): JSX.Element {
  const keys = usePolled(`keys ${service}`, (aborted) => askKeys(service, aborted), {
    everyMs: readsHaveAPrice.value ? false : EVERY_MS,
  });
  return (
    <>
      <p class="crumb">
        <a href={hrefTo("objects")}>Objects and workflows</a>
      </p>
      <div class="bar">
        <h1>
          <ForeignText text={service} maxChars={80} />
        </h1>
        <OpenKey service={service} />
      </div>
      <LoadedView loaded={keys.state.value} onRetry={() => void keys.refresh()}>
        {(list) => <Keys service={service} list={list} />}
      </LoadedView>
    </>
  );
}

/** Any key can be opened, also one without a state and the empty one. */
function OpenKey({ service }: { readonly service: string }): JSX.Element {
  const [key, setKey] = useState("");
  const [scope, setScope] = useState("");
  const open = (): void => goTo(keyHref({ service, key, scope }));
  return (
    <div class="buttons">
      <label>
        <span class="visually-hidden">Key</span>
        <input
          type="text"
          placeholder="key"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") open();
          }}
        />
      </label>
      <label>
        <span class="visually-hidden">Scope</span>
        <input
          type="text"
          placeholder="scope, if any"
          value={scope}
          onInput={({ currentTarget }) => setScope(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") open();
          }}
        />
      </label>
      <button type="button" onClick={open}>
        Open
      </button>
    </div>
  );
}

function Keys({ service, list }: { readonly service: string; readonly list: KeyList }): JSX.Element {
  const { keys, storedProblem, isCut } = list;
  return (
    <>
      {storedProblem !== undefined && (
        <p class="notice dim">
          This server lists no stored keys, so the list has the keys of open invocations alone. Open any other key by
          its name.
        </p>
      )}
      {isCut && <p class="notice dim">The list ends after 1,000 keys. Open any other key by its name.</p>}
      {keys.length === 0 ? (
        <Empty>
          <p>No key {storedProblem === undefined ? "has a state or an" : "has an"} open invocation.</p>
        </Empty>
      ) : (
        <div role="table" aria-label="Keys" aria-rowcount={keys.length + 1}>
          <div class="key-row key-head dim" role="row">
            <span role="columnheader">Key</span>
            <span role="columnheader" class="right">
              State
            </span>
            <span role="columnheader" class="right">
              Values
            </span>
            <span role="columnheader" class="right">
              Open
            </span>
          </div>
          <WindowList
            count={keys.length}
            rowHeightPx={ROW_PX}
            label="Keys"
            role="rowgroup"
            row={(at) => <KeyLine key={at} service={service} row={keys[at]!} />}
          />
        </div>
      )}
    </>
  );
}

function KeyLine({ service, row }: { readonly service: string; readonly row: KeyRow }): JSX.Element {
  const { key, scope, bytes, values, open } = row;
  return (
    <div class="key-row" role="row">
      <span role="cell" class="cut">
        <a class="mono" href={keyHref({ service, key, scope })}>
          <ForeignText text={key} maxChars={KEY_CHARS} />
        </a>
        {scope !== undefined && (
          <span class="dim">
            {" "}
            in <ForeignText text={scope} maxChars={KEY_CHARS} class="mono" />
          </span>
        )}
      </span>
      <span role="cell" class="right number">
        {bytes === undefined ? <span class="dim">unknown</span> : sizeText(bytes)}
      </span>
      <span role="cell" class="right number">
        {values === undefined ? "" : countText(values)}
      </span>
      <span role="cell" class="right number">
        {open === 0 ? <span class="dim">0</span> : countText(open)}
      </span>
    </div>
  );
}
