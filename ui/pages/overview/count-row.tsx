/** One count: its name as a link to the list, and the number at the right. */
import type { JSX } from "preact";
import { countText } from "../../model/size-text.ts";
import { StatusMark } from "../../parts/status-mark.tsx";

export interface CountRowProps {
  readonly status?: string;
  readonly outcome?: string;
  /** The name of the count, in place of a status. */
  readonly words?: string;
  readonly count: number;
  readonly isAtLeast?: boolean;
  readonly href: string;
}

export function CountRow({ status, outcome, words, count, isAtLeast = false, href }: CountRowProps): JSX.Element {
  return (
    <li class={count === 0 ? "is-zero" : ""}>
      <a href={href}>{words === undefined ? <StatusMark status={status ?? "completed"} outcome={outcome} /> : words}</a>
      <span class="number">
        {isAtLeast && count > 0 ? "≥ " : ""}
        {countText(count)}
      </span>
    </li>
  );
}
