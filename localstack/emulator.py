"""MiniStack with a pulse of one second: schedules and rules fire soon after their time. A batch of SQS is judged as AWS does it."""
from ministack.app import main
from ministack.core import iam_actions
from ministack.services import eventbridge, scheduler

scheduler._SCHEDULE_TICK_INTERVAL = 1
eventbridge._SCHEDULER_TICK_INTERVAL = 1

action_of = iam_actions.extract_iam_action


def action_of_entries(service, *request):
    """There are no actions of batches in IAM: the right to send a message is the right to send ten."""
    action = action_of(service, *request)
    return action.removesuffix("Batch") if service == "sqs" and action else action


iam_actions.extract_iam_action = action_of_entries

main()
