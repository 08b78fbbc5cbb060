/** The button that ends the reader's session at the server, and in all tabs. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { hasSession, needsSignIn, signOut } from "../data/session.ts";

export function SignOut(): JSX.Element | null {
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
