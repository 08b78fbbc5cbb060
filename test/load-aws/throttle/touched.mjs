/** Finds out which of the throttled resources a request to DynamoDB or EventBridge Scheduler touches. */

export const TABLE_WRITES = "table writes";
export const TABLE_READS = "table reads";
export const SCHEDULES = "schedules";
/** The index, by the attribute that puts an item into it. */
const INDEX_OF = { listPk: "index list", openPk: "index open" };
/** The throttled resources. `Bursts` throttles each of them at moments of its own. */
export const RESOURCES = [TABLE_WRITES, TABLE_READS, ...Object.values(INDEX_OF), SCHEDULES];

/**
 * @param headers the headers of the request, with names in lower case
 * @param body the body of the request, as it arrived
 * @returns each touched resource with its partition key or, for a schedule, its URL; and the operation: DynamoDB's name of it
 *   or, for any other request, the HTTP method
 */
export function touchedBy({ method, url, headers }, body) {
  const [, operation] = /^DynamoDB_\d+\.(\w+)$/.exec(headers["x-amz-target"] ?? "") ?? [];
  if (operation !== undefined) return { operation, touches: touchesOf(operation, JSON.parse(body)) };
  const isChange = (method === "POST" || method === "DELETE") && url.startsWith("/schedules/");
  return { operation: method, touches: isChange ? [{ resource: SCHEDULES, key: url }] : [] };
}

function touchesOf(operation, input) {
  switch (operation) {
    case "GetItem":
      return [{ resource: TABLE_READS, key: input.Key.pk.S }];
    case "BatchGetItem":
      return Object.values(input.RequestItems).flatMap(({ Keys }) =>
        Keys.map(({ pk }) => ({ resource: TABLE_READS, key: pk.S })),
      );
    case "Query":
      return [
        { resource: input.IndexName === undefined ? TABLE_READS : `index ${input.IndexName}`, key: queried(input) },
      ];
    case "PutItem":
    case "UpdateItem":
    case "DeleteItem":
      return writesOf(input);
    case "TransactWriteItems":
      return input.TransactItems.flatMap((action) => writesOf(Object.values(action)[0]));
    default:
      return [];
  }
}

/** A query names one partition, whose key is the first text among its values. */
function queried({ ExpressionAttributeValues = {} }) {
  return Object.values(ExpressionAttributeValues).find(({ S }) => S !== undefined)?.S ?? "";
}

/** An update that changes the key of an index names this key among its attributes. */
function writesOf({ Item, Key, ExpressionAttributeNames = {} }) {
  const writes = [{ resource: TABLE_WRITES, key: (Item ?? Key).pk.S }];
  const named = new Set(Object.values(ExpressionAttributeNames));
  for (const [attribute, resource] of Object.entries(INDEX_OF)) {
    if (Item?.[attribute] !== undefined || (Item === undefined && named.has(attribute)))
      writes.push({ resource, key: Item?.[attribute]?.S ?? "" });
  }
  return writes;
}
