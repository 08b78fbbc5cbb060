"""
MiniStack with a pulse of one second: schedules and rules fire soon after their time. A batch of SQS is judged as AWS does it. A process of a
function that dies while it starts takes no other process with it.
"""
import time

from ministack.app import main
from ministack.core import iam_actions, lambda_runtime
from ministack.services import eventbridge, scheduler

scheduler._SCHEDULE_TICK_INTERVAL = 1
eventbridge._SCHEDULER_TICK_INTERVAL = 1

action_of = iam_actions.extract_iam_action


def action_of_entries(service, *request):
    """There are no actions of batches in IAM: the right to send a message is the right to send ten."""
    action = action_of(service, *request)
    return action.removesuffix("Batch") if service == "sqs" and action else action


iam_actions.extract_iam_action = action_of_entries

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
