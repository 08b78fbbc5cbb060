/** The messages between this process and an evaluator: plain data that Node can clone. */
import type { Narrowing } from "../../core/query/narrowing.ts";
import type { CellValue, TableShape } from "../../core/query/table-shape.ts";
import type { ScanRequest, SqlErrorKind } from "../../engine/ports/sql.ts";

/** The format of the answer; `columned-json` names the columns too. */
export type AnswerForm = "json" | "columned-json" | "arrow";

/** An evaluator never reuses the number of a scan or a cell, so that it can ignore a late message. */
export type ToEvaluator =
  | {
      readonly kind: "run";
      readonly statement: string;
      readonly nowMs: number;
      readonly form: AnswerForm;
      readonly tables: readonly { readonly shape: TableShape; readonly ordered: boolean }[];
      /** The limit of an answer that is sent as a whole; absent for an answer in pieces. */
      readonly wholeMaxBytes?: number;
    }
  /** A piece of the answer has been taken, so that the evaluator may send another one. */
  | { readonly kind: "taken" }
  /** Cells in the order of the scan's columns; undefined stands for a cell that the evaluator has to request. */
  | {
      readonly kind: "rows";
      readonly scan: number;
      readonly first: number;
      readonly rows: readonly (readonly (CellValue | undefined)[])[];
      readonly isLast: boolean;
    }
  | { readonly kind: "scan-failed"; readonly scan: number; readonly failure: Failure }
  | { readonly kind: "cell"; readonly cell: number; readonly value: CellValue }
  | { readonly kind: "cell-failed"; readonly cell: number; readonly failure: Failure };

export interface CellAsked {
  readonly cell: number;
  readonly scan: number;
  readonly row: number;
  /** The index of the cell's column in the scan. */
  readonly column: number;
}

export type FromEvaluator =
  | { readonly kind: "ready" }
  | {
      readonly kind: "scan";
      readonly scan: number;
      readonly table: string;
      readonly narrowing: Narrowing;
      readonly order?: NonNullable<ScanRequest["order"]>;
      readonly columns: readonly string[];
    }
  /** Requests the next rows of a scan. */
  | { readonly kind: "next"; readonly scan: number }
  | { readonly kind: "end-scan"; readonly scan: number }
  /** The evaluator will request no more cells of these rows. */
  | { readonly kind: "release"; readonly scan: number; readonly first: number; readonly count: number }
  | { readonly kind: "cells"; readonly asked: readonly CellAsked[] }
  | { readonly kind: "piece"; readonly bytes: Uint8Array; readonly isLast: boolean }
  | { readonly kind: "failed"; readonly failure: Failure };

/** `kept`: the number of a table's error; the error itself stays in the process that threw it. */
export type Failure =
  | { readonly of: "statement"; readonly kind: SqlErrorKind; readonly message: string }
  | { readonly of: "table"; readonly kept: number }
  | { readonly of: "evaluator"; readonly message: string };
