/** A scene contains what a function needs to make a submission: book, client, tail of the ledger, random numbers, prefix. */
import { randomUUID } from "node:crypto";
import type { Random } from "../crash/plan.ts";
import type { Book } from "./book.ts";
import type { LoadClient } from "./client.ts";
import type { LedgerTail } from "./ledger-tail.ts";

export interface Scene {
  readonly book: Book;
  readonly client: LoadClient;
  readonly tail: LedgerTail;
  readonly random: Random;
  /** The prefix of the names of one deployment's services. */
  readonly prefix: string;
}

/** @returns a new key, which the client sends with every repetition of one submission */
export const newKey = (): string => randomUUID();
