/**
 * Facts about the table that the stack needs: its keys, its indexes with their attributes, and the attribute of the time
 * to live.
 */

interface IndexFacts {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /**
   * Attributes that the index contains beside the keys. From them, a walk through the index decides which items it has to read.
   */
  readonly shown: readonly string[];
}

/** The format that this program writes. The number grows with each change of the stored bytes, and older programs refuse it. */
export const TABLE_FORMAT = 2;

export const TABLE_FACTS = {
  partitionKey: "pk",
  sortKey: "sk",
  expiryAttribute: "expiresAtS",
} as const;

/** The attributes of an acceptance by which a request for a list selects invocations. They never change. */
export const LISTING_SHOWN = ["service", "handler", "objectKey", "n"] as const;

export const INDEX_FACTS: readonly IndexFacts[] = [
  { name: "list", partitionKey: "listPk", sortKey: "listSk", shown: LISTING_SHOWN },
  {
    name: "open",
    partitionKey: "openPk",
    sortKey: "openSk",
    shown: ["service", "handler", "objectKey", "createdAtMs", "status", "deploymentId", "lookAtMs", "keepUntilS"],
  },
];
