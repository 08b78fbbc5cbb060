package greeter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.restate.common.function.ThrowingRunnable;
import dev.restate.common.function.ThrowingSupplier;
import dev.restate.sdk.Context;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The greeter greets, and reminds after its sleep. The context is a stand-in that does at once what a handler asks for. */
class GreeterTest {
  private final Context context = mock();

  @Test
  void greetsWithAGreetingThatItRecords() {
    when(context.run(eq("pick a greeting"), eq(String.class), any()))
        .thenAnswer(asked -> asked.<ThrowingSupplier<String>>getArgument(2).get());
    assertTrue(new Greeter().greet(context, "Ada").matches("(Hello|Welcome|Good to see you), Ada!"));
  }

  @Test
  void remindsAfterTheSleep() {
    var reminder = new Greeter.Reminder("Ada", "the tea", 60);
    assertEquals("Ada is reminded of the tea", new Greeter().remind(context, reminder));
    var order = inOrder(context);
    order.verify(context).sleep(Duration.ofMinutes(1));
    order.verify(context).run(eq("remind"), any(ThrowingRunnable.class));
  }
}
