package greeter;

import dev.restate.sdk.Context;
import dev.restate.sdk.annotation.Handler;
import dev.restate.sdk.annotation.Name;
import dev.restate.sdk.annotation.Service;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A service that greets and remembers to remind. */
@Service
@Name("greeter")
public class Greeter {
  private static final List<String> GREETINGS = List.of("Hello", "Welcome", "Good to see you");

  public record Reminder(String name, String about, double seconds) {}

  /** {@code ctx.run} records the choice, so that a replay after a crash finds the same greeting. */
  @Handler
  public String greet(Context ctx, String name) {
    String greeting =
        ctx.run(
            "pick a greeting",
            String.class,
            () -> GREETINGS.get(ThreadLocalRandom.current().nextInt(GREETINGS.size())));
    return greeting + ", " + name + "!";
  }

  /** The sleep holds no process. Stop everything, start it again: the reminder still comes, and on time. */
  @Handler
  public String remind(Context ctx, Reminder reminder) {
    ctx.sleep(Duration.ofMillis((long) (reminder.seconds() * 1000)));
    ctx.run("remind", () -> System.out.println(reminder.name() + ", remember " + reminder.about() + "!"));
    return reminder.name() + " is reminded of " + reminder.about();
  }
}
