/** The JSON shapes of sign-ins to the local admin API and to `stepwell proxy`, and of the refusals of both. */
import type { AdminErrorBody } from "../contract/server.ts";

/** The header in which a page of the web UI sends the key of its session. */
export const PAGE_KEY_HEADER = "x-stepwell-page-key";

export interface DoorErrorBody extends AdminErrorBody {
  /** Present if `stepwell proxy` answers in place of the server behind it. */
  readonly source?: "proxy";
}

export interface SignInCodeBody {
  /** Opens one session, at `GET /-/sign-in?code=<code>`. */
  readonly code: string;
  readonly expires_at: string;
}

export interface SessionBody {
  /** The page sends it as `PAGE_KEY_HEADER`, with the cookie of the session. */
  readonly key: string;
  readonly expires_at: string;
}
