"""
MiniStack with a pulse of one second: schedules and rules fire soon after their time. A batch of SQS is judged as AWS does it, and a right on
items can be bound to partition keys. A process of a function that dies while it starts takes no other process with it.
"""
import json
import re
import time

from ministack.app import main
from ministack.core import iam_actions, lambda_runtime
from ministack.services import dynamodb, eventbridge, scheduler

scheduler._SCHEDULE_TICK_INTERVAL = 1
eventbridge._SCHEDULER_TICK_INTERVAL = 1

action_of = iam_actions.extract_iam_action


def action_of_entries(service, *request):
    """There are no actions of batches in IAM: the right to send a message is the right to send ten."""
    action = action_of(service, *request)
    return action.removesuffix("Batch") if service == "sqs" and action else action


iam_actions.extract_iam_action = action_of_entries

context_of = iam_actions.dynamodb_service_context


def context_with_leading_keys(body):
    """
    MiniStack does not know dynamodb:LeadingKeys, the partition keys that a request names. AWS has it for every request with a key. The
    actions of a transaction are all judged by all its keys.
    """
    context = context_of(body)
    try:
        keys = sorted(set(leading_keys(json.loads(body or b"{}"))))
    except (ValueError, AttributeError, KeyError, TypeError):
        return context
    return {**context, "dynamodb:LeadingKeys": keys} if keys else context


def leading_keys(request):
    for item in request.get("TransactItems", []):
        for part in item.values():
            yield from leading_keys(part)
    for name, part in request.get("RequestItems", {}).items():
        for write in part if isinstance(part, list) else []:
            for one in write.values():
                yield from leading_keys({"TableName": name, **one})
        for key in part.get("Keys", []) if isinstance(part, dict) else []:
            yield from leading_keys({"TableName": name, "Key": key})
    if "TableName" not in request:
        return
    attribute = partition_key(request)
    for place in ("Key", "Item"):
        if attribute in request.get(place, {}):
            yield from map(str, request[place][attribute].values())
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    for name, value in re.findall(r"([#\w]+)\s*=\s*(:\w+)", request.get("KeyConditionExpression", "")):
        if names.get(name, name) == attribute:
            yield from map(str, values[value].values())


def partition_key(request):
    """Of the table, or of the index that the request names."""
    asked = request["TableName"].rsplit("/", 1)[-1]
    # The account and the Region of the request are not known yet, and tables of one name have the same keys here.
    table = next((table for (*_, name), table in dynamodb._tables.all_items() if name == asked), {})
    for index in table.get("GlobalSecondaryIndexes", []):
        if index["IndexName"] == request.get("IndexName"):
            return next(key["AttributeName"] for key in index["KeySchema"] if key["KeyType"] == "HASH")
    return table.get("pk_name")


iam_actions.dynamodb_service_context = context_with_leading_keys

invoke = lambda_runtime.Worker.invoke


def invoke_alone(worker, *args, **options):
    """MiniStack ends all processes of a function when one of them fails to start. On AWS, the others go on."""
    try:
        return invoke(worker, *args, **options)
    except Exception as error:
        lambda_runtime.logger.error("A process of %s did not start: %s", worker.func_name, error)
        process, worker._proc = worker._proc, None
        if process is not None:
            lambda_runtime._signal(process)
            lambda_runtime._collect(process, time.monotonic() + lambda_runtime._REAP_GRACE)
        return {"status": "error", "error": str(error)}


lambda_runtime.Worker.invoke = invoke_alone

main()
