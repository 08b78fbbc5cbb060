/** What the stack must know of the table: its keys, its indexes with what they show, and the attribute that ends an item's life. */

interface IndexFacts {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Shown beside the keys, because whoever walks the index decides by them without reading the item. */
  readonly shown: readonly string[];
}

export const TABLE_FACTS = {
  partitionKey: "pk",
  sortKey: "sk",
  expiryAttribute: "expiresAtS",
} as const;

export const INDEX_FACTS: readonly IndexFacts[] = [
  { name: "list", partitionKey: "listPk", sortKey: "listSk", shown: ["service", "handler", "objectKey", "n"] },
  {
    name: "open",
    partitionKey: "openPk",
    sortKey: "openSk",
    shown: ["service", "handler", "objectKey", "createdAtMs", "status", "deploymentId", "lookAtMs", "keepUntilS"],
  },
];
