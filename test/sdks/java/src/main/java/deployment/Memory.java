package deployment;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the handlers count and keep in this process, outside of any journal. */
final class Memory {
  private static final Map<String, Integer> EXECUTIONS = new ConcurrentHashMap<>();
  private static final Map<String, List<String>> DRAWN = new ConcurrentHashMap<>();
  static final Map<String, String> AWAKEABLES = new ConcurrentHashMap<>();

  private Memory() {}

  /** How often code ran outside the journal for this invocation, this time included. */
  static int countExecution(String invocationId) {
    return EXECUTIONS.merge(invocationId, 1, Integer::sum);
  }

  static int executionsOf(String invocationId) {
    return EXECUTIONS.getOrDefault(invocationId, 0);
  }

  static List<String> drawnBy(String invocationId) {
    return DRAWN.computeIfAbsent(invocationId, id -> new CopyOnWriteArrayList<>());
  }
}
