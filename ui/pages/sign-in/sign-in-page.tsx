/** What a reader without a session sees: how to sign in, and a field for the token. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { signInWith } from "../../data/session.ts";

const REFUSED = "This is not the token of this server.";
const NO_ANSWER = "The server does not answer. Is it running, and is it still at this page's address?";

export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }): JSX.Element {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string>();
  const signIn = async (): Promise<void> => {
    const isIn = await signInWith(token.trim()).catch(() => undefined);
    if (isIn === true) return onSignedIn();
    setProblem(isIn === false ? REFUSED : NO_ANSWER);
  };
  return (
    <section>
      <h1>Sign in</h1>
      <p>
        Run <code>stepwell ui</code> in a terminal, in the directory where <code>stepwell dev</code> runs. It opens this
        page again, signed in.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <label>
          Or paste the token, which is in the file <code>admin-token</code> of the data directory:{" "}
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>{" "}
        <button type="submit" disabled={token.trim() === ""}>
          Sign in
        </button>
      </form>
      {problem !== undefined && (
        <div class="problem" role="alert">
          <p>{problem}</p>
        </div>
      )}
    </section>
  );
}
