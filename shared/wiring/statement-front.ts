/** What reads statements and writes their answers: the same in the local process and in the functions. */
import { arrowStream } from "../adapters/arrow/arrow-stream.ts";
import { SquirrelingSql } from "../adapters/squirreling/squirreling-sql.ts";
import type { StatementFront } from "../api/admin/admin-request.ts";
import type { Engine } from "../engine/engine.ts";

export function statementFront({ clock }: Pick<Engine, "clock">): StatementFront {
  return { sql: new SquirrelingSql(() => clock.nowMs()), arrow: arrowStream };
}
