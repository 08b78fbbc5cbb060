"""The emulator with clocks fine enough for tests: schedules and rules fire within a second of their time."""
import ministack.services.eventbridge
import ministack.services.scheduler
from ministack.app import main

SWEEP_SECONDS = 1

ministack.services.scheduler._SCHEDULE_TICK_INTERVAL = SWEEP_SECONDS
ministack.services.eventbridge._SCHEDULER_TICK_INTERVAL = SWEEP_SECONDS

if __name__ == "__main__":
    main()
