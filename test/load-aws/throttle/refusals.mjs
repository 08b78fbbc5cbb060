/** The answers of AWS to a throttled request, and to a transaction that conflicts with another one over the same item. */

const NAMESPACE = "com.amazonaws.dynamodb.v20120810#";
const READS = new Set(["GetItem", "BatchGetItem", "Query"]);
/** DynamoDB uses both names with the same meaning. */
const NAMES = ["ProvisionedThroughputExceededException", "ThrottlingException"];

/**
 * @param reason the end of DynamoDB's name of the reason, such as `KeyRangeThroughputExceeded`
 * @param turn a number that selects one of the two names
 */
export function throttledTable(resource, operation, reason, turn) {
  const [kind, index] = resource.split(" ");
  const verb = READS.has(operation) ? "Read" : "Write";
  const told = `${kind === "index" ? "Index" : "Table"}${verb}${reason}`;
  const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/load${kind === "index" ? `/index/${index}` : ""}`;
  const body = {
    message: "Throughput exceeds the current capacity",
    ThrottlingReasons: [{ reason: told, resource: arn }],
  };
  return dynamoRefusal(NAMES[turn % NAMES.length], body);
}

export function throttledSchedules() {
  return {
    status: 429,
    headers: { "content-type": "application/json", "x-amzn-errortype": "ThrottlingException" },
    body: JSON.stringify({ Message: "Rate exceeded" }),
  };
}

/** @param actions the number of actions of the transaction; the first action conflicts */
export function conflicting(actions) {
  const CancellationReasons = Array.from({ length: actions }, (_, at) =>
    at === 0 ? { Code: "TransactionConflict", Message: "Transaction is ongoing for the item" } : { Code: "None" },
  );
  const message = "Transaction cancelled, please refer cancellation reasons for specific reasons";
  return dynamoRefusal("TransactionCanceledException", { message, Message: message, CancellationReasons });
}

function dynamoRefusal(name, body) {
  return {
    status: 400,
    headers: { "content-type": "application/x-amz-json-1.0" },
    body: JSON.stringify({ __type: `${NAMESPACE}${name}`, ...body }),
  };
}
