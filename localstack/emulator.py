"""MiniStack with a pulse of one second: schedules and rules fire soon after their time."""
from ministack.app import main
from ministack.services import eventbridge, scheduler

scheduler._SCHEDULE_TICK_INTERVAL = 1
eventbridge._SCHEDULER_TICK_INTERVAL = 1

main()
