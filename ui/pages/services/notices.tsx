/** The notices of the server about the options of a service or a handler, for example that the server cuts a retention. */
import type { JSX } from "preact";
import type { NoticeBody } from "../../../shared/api/contract/services.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";

export function Notices({ notices = [] }: { readonly notices: readonly NoticeBody[] | undefined }): JSX.Element {
  return (
    <>
      {notices.map(({ code, message }) => (
        <p key={message} class="notice">
          <span class="tone-retrying" aria-hidden="true">
            !
          </span>{" "}
          {code !== undefined && <b>{code} </b>}
          <ForeignText text={message} />
        </p>
      ))}
    </>
  );
}
