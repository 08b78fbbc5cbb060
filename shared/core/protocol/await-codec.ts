/** Converts an await between the model, its tree on the wire and its stored bytes. */
import type { Await, Combinator } from "../model/await-tree.ts";
import { decode } from "../model/proto3-decode.ts";
import { encode } from "../model/proto3-encode.ts";
import { NESTING_MAX, Proto3Error } from "../model/proto3.ts";
import { FutureMessage, type FutureNode } from "./wire-values.ts";

/** The combinators; the index of each is its number on the wire. */
const COMBINATORS: readonly Combinator[] = [
  "unknown",
  "first-completed",
  "all-completed",
  "first-succeeded-or-all-failed",
  "all-succeeded-or-first-failed",
];

/** @throws Proto3Error if the tree is deeper than the wire allows, or contains an id out of range */
export function encodeAwait(tree: Await): Uint8Array {
  return encode(FutureMessage, nodeOfAwait(tree, 1));
}

/** @throws Proto3Error if the bytes are not a tree */
export function decodeAwait(bytes: Uint8Array): Await {
  return awaitOfNode(decode(FutureMessage, bytes));
}

/**
 * A combinator number outside of the table becomes `unknown`.
 * @param node a node from the decoder, which has checked that the depth is within the limit of the wire
 */
export function awaitOfNode(node: FutureNode): Await {
  return { ...node, nested: node.nested.map(awaitOfNode), combinator: COMBINATORS[node.combinator] ?? "unknown" };
}

function nodeOfAwait(tree: Await, depth: number): FutureNode {
  if (depth > NESTING_MAX) throw new Proto3Error(`an await nests deeper than ${NESTING_MAX} levels`);
  const nested = tree.nested.map((child) => nodeOfAwait(child, depth + 1));
  return { ...tree, nested, combinator: COMBINATORS.indexOf(tree.combinator) };
}
