/**
 * The catalogue of planted mistakes: each with the rule that it breaks and the suite that catches it. `npm run test:planted` plants all
 * of them; a commit's gate plants one part of them. A rule is an invariant of docs/design.md, or is said in words.
 *
 * One mistake of a review is left out, because it changes nothing that anybody can observe: a give-back that joins the last segment
 * although its holder has the lock under another grant than its driver knows. The changes of state count only under the grant of their
 * segment in any case (`counts` in `shared/engine/lock/give-back.ts`), and a holder that has ended gives the lock back under any grant.
 */

export const PARTS = 10;

/** The configuration of each suite. */
export const SUITES = {
  seeds: "test/simulation/seeds/vitest.config.ts",
  "crash-points": "test/simulation/vitest.config.ts",
  histories: "test/histories/vitest.config.ts",
  specification: "test/specification/vitest.config.ts",
  "beside-reference": "test/beside-reference/vitest.config.ts",
  doors: "test/functions/door/vitest.config.ts",
  rules: "test/planted/rules/vitest.config.ts",
};

/** The invariants and rules that the mistakes break, and then their names, by suite and file. */
const CATALOGUE = {
  doors: {
    "test/functions/door/door.test.ts": [
      ["only the token opens a door", "a token that is not compared"],
      ["no other page acts for an operator", "a session that any page may use"],
      ["no other page acts for an operator", "a page that is known by its origin alone"],
      ["a server at another port, which gets the cookie, can do nothing", "a cookie that needs no key"],
      ["a session ends after a week", "a session without an end"],
      [
        "who takes the port of a process that has ended can use no session",
        "a session that follows from the token, so that the next process knows it",
      ],
      ["a sign-out ends the session", "a sign-out that only empties the browser"],
      ["a code is for the user who asked for it", "a code that works for every user of the machine"],
      ["a code opens one session", "a code that works twice"],
    ],
  },
  rules: {
    "test/planted/rules/callers.test.ts": [
      ["an idempotency key belongs to its principal", "an idempotency key that ignores the caller"],
      ["a result is shown only to who made the invocation", "an attach that does not compare the caller"],
      ["a role with all its sessions is one caller", "a principal that is a single session"],
      ["a caller without an identity owns nothing", "a caller without an identity who may ask about all"],
    ],
    "test/planted/rules/credentials.test.ts": [
      ["no credential is stored", "a header with a credential that reaches the journal"],
      ["no credential is stored", "a credential in a query that reaches the journal"],
      ["no credential is logged", "a credential in a query that reaches the log of the admin API"],
      ["no credential is logged", "a header for deployments that reaches the log of the admin API"],
    ],
    "test/planted/rules/limits.test.ts": [
      ["the rules of a request change together", "rules of a request that are written one by one"],
      [
        "a rule changes only as its precondition allows",
        "a change of rules that is repeated without another look at them",
      ],
    ],
    "test/planted/rules/receipts.test.ts": [
      ["each entry has the moment of its receipt", "a receipt that is taken when the segment is written"],
      ["each entry has the moment of its receipt", "a receipt of the entry that came next"],
      ["each entry has the moment of its receipt", "a receipt that a reader takes from the segment"],
      ["a later attempt changes no receipt", "a receipt that a later attempt moves"],
    ],
    "test/planted/rules/rights.test.ts": [
      ["only operators register code", "an ingress that may write a deployment"],
      ["only operators change subscriptions", "a worker that may write subscriptions"],
      ["notes of drivers have a partition of their own", "a note about a slow handler beside the deployments"],
      ["a right is bound to its partitions", "a right on one kind of partition that counts for all"],
    ],
    "test/planted/rules/transports.test.ts": [
      ["a connection whose peer refuses a stream is left", "a connection that refuses and still takes streams"],
      ["a refusal before any answer costs no attempt", "a refused stream that costs an attempt"],
      ["what carries nothing ends its connection", "a bound of idle work that does not count"],
      ["an answer is unpacked only as it is read", "an answer that is unpacked before it is read"],
    ],
  },
  seeds: {
    "test/simulation/seeds/planted-bugs.test.ts": [
      ["a scope is part of a key", "a key whose partition forgets the scope"],
      ["I1", "segments without a fence"],
      ["I4", "a park that does not look once more"],
      ["I6", "a lock that is handed over unconditionally"],
      ["I7", "ids that are each process's own"],
      ["I8", "messages that die with their worker"],
    ],
    "test/simulation/seeds/planted-takeover.test.ts": [["I2", "a takeover without the last effects"]],
    "test/simulation/seeds/planted-against-faults.test.ts": [
      [
        "a refusal of the store pauses no invocation",
        "a dead letter whose invocation is paused for a refusal of the store",
      ],
      ["I6", "a lock whose grants follow the clock alone"],
      ["a look that ends its process is found by its mark", "a sweeper that does not record its looks"],
      ["I11", "a worker that puts an old message back"],
      ["I8", "a worker that trusts the moment in a message"],
      ["I8", "a sweeper that does not see sleepers"],
      ["an open invocation outlives a sweeper's rest", "items that live for at most three days"],
    ],
    "test/simulation/seeds/planted-processes.test.ts": [
      ["a driver stops in time", "a function that does not notice that its time is up"],
      ["an invocation that ends its processes is paused", "a suspect that is tried without a mark"],
    ],
    "test/simulation/places/planted-mistakes.test.ts": [
      ["I13", "a give-back that overlooks the mark"],
      ["I13", "a joiner that does not read again after its mark"],
      ["I13", "a driver that does not ask who has the lease"],
      ["I13", "a place that is freed under any stamp"],
      ["I13", "a place of another driver that is used without a new stamp"],
      ["I13", "rules that are read once for ever"],
      ["I13", "a holder beyond a lowered limit that does not count"],
      ["I13", "a park that keeps its place"],
      ["I13", "a change of the rule that does not count what runs"],
      ["I13", "places of a process that has died, which its successor takes for free"],
      ["I13", "a place of a sole owner that is taken blindly"],
      ["I13", "a hand-over that keeps the turn"],
      ["I13", "a hand-over that sends no message"],
      ["I13", "a place that is taken blindly"],
      ["I13", "a token that is taken blindly"],
    ],
    "test/simulation/topics/planted-bugs.test.ts": [
      ["I7", "a batch without the number of its reset"],
      ["a position moves after its records are accepted", "a position that moves first"],
      ["each committed record becomes an invocation", "a failed batch that counts as accepted"],
      ["no record of an aborted transaction is accepted", "no list of aborted transactions"],
      ["fetched records give their room back", "an account that gives nothing back"],
      ["I7", "ids that are each process's own"],
      ["a reset counts until the partition has applied it", "a reset that forgets the one before"],
      ["a position does not go back without a reset", "a position that is written unconditionally"],
      ["a re-created topic is recognised", "a position without landmarks"],
    ],
  },
  "crash-points": {
    "test/simulation/crash-points/planted-bugs.test.ts": [
      ["I2", "segments that are reported as written before they are durable"],
      ["I2", "a redo that skips the effects of a call"],
      ["I2", "a redo that skips the effects of a send"],
      ["I7", "ids that are not derived from the key alone"],
      ["I8", "messages that are lost with the worker that received them, while the sweeper finds nothing"],
      ["I8", "a sweeper that finds nothing, if every hint of a sent invocation is lost"],
    ],
    "test/simulation/crash-points/planted-against-faults.test.ts": [
      ["a writer recognises its own item after a lost answer", "a lease record that its writer does not recognise"],
      ["I8", "a refused schedule that counts as set"],
      ["I8", "a sweeper that does not see sleepers"],
      ["I8", "a worker that trusts the moment in a message"],
    ],
    "test/simulation/crash-points/keyed-planted-bugs.test.ts": [
      ["I6", "a hand-over that does not check the grant"],
      ["I6", "a give-back that overlooks a ticket"],
      ["I6", "a state that is applied twice"],
      ["I6", "a void ticket that is taken for a place in the queue"],
    ],
    "test/simulation/crash-points/planted/extension-mistakes.test.ts": [
      ["the lease record of an invocation is extended last", "an extension that begins with the lease record"],
      [
        "an arrival outlives the extension that missed it",
        "an arrival that lives no longer than the acceptance that its writer has read",
      ],
    ],
    "test/simulation/crash-points/planted/forgotten-mistakes.test.ts": [
      ["I12", "a promise of a forgotten run that still counts"],
    ],
    "test/simulation/crash-points/planted/limits-mistakes.test.ts": [
      ["I13", "a place that a process which takes over does not find"],
      ["I13", "a giver's successor that wakes no one"],
      ["I13", "a turn that stays after a death"],
    ],
    "test/simulation/crash-points/planted/operators-mistakes.test.ts": [
      ["an edit is made whole or not at all", "an edit that compares the state again after it has begun"],
      ["I9", "a restart that writes the acceptance before the beginning that it keeps"],
      ["I1", "a drop of the journal that deletes before it replaces the end"],
      ["what ends before its first attempt keeps no content", "an end before the first attempt that keeps its input"],
      ["what ends before its first attempt keeps no content", "an erasure whose mark is taken for its end"],
    ],
    "test/simulation/crash-points/planted/queue-mistakes.test.ts": [
      ["I8", "an invocation behind a void ticket does not look at the holder"],
    ],
    "test/simulation/crash-points/planted/renewal-mistakes.test.ts": [
      ["an ended invocation leaves the open index without a look", "an end that does not wait for a renewal"],
    ],
    "test/simulation/crash-points/planted/singleton-mistakes.test.ts": [
      [
        "of two requests with a singleton key one is accepted",
        "an acceptor of a singleton that is late, and not refused",
      ],
      ["I2", "a replacement that only its acceptor tells"],
      ["what has not ended in time is cancelled", "a park that lasts longer than the deadline"],
    ],
    "test/simulation/crash-points/planted/schedules-mistakes.test.ts": [
      ["each tick of a schedule runs once", "a schedule that moves on before its tick is accepted"],
      [
        "a tick that waits runs after the end of the earlier one",
        "a schedule that does not learn that its run has ended",
      ],
    ],
    "test/simulation/crash-points/planted/slices-mistakes.test.ts": [
      ["the sweeper looks again at an entry whose look failed", "a slice that forgets the entries whose look failed"],
    ],
  },
  histories: {
    "test/histories/planted.test.ts": [
      ["a promise is completed once", "a promise that two resolves complete"],
      ["I7", "ids that differ from process to process"],
      ["I6", "a give-back without its condition"],
      ["I6", "a lock that is read once"],
      ["I6", "a change of state that the give-back drops"],
    ],
  },
  specification: {
    "test/specification/planted.test.ts": [
      ["I8", "messages that get lost"],
      ["I8", "timers that never fire"],
      ["a sleep lasts as long as asked", "a clock of the engine that is ten minutes ahead"],
      ["I7", "ids that do not follow from the idempotency key"],
      ["I3", "arrivals that are not stored"],
      ["I3", "sinks that are not stored"],
      ["a place in a queue is kept", "places in a queue that expire while an invocation waits there"],
      ["an invocation stays on its deployment", "handlers that go on on the latest deployment"],
      ["a removed deployment serves nothing", "deployments that are found after their removal"],
      ["the comparison sees refused removals", "a specification in which no removal is refused"],
      ["a removed subscription reads nothing", "subscriptions that outlive their removal"],
      ["the comparison sees what a restart keeps", "a specification in which a restart keeps nothing"],
      ["the comparison sees every kill", "a specification in which a kill changes nothing"],
      ["the comparison sees every pause", "a specification in which a pause changes nothing"],
      ["the comparison sees every edit", "a specification in which edits change nothing"],
      ["the comparison sees the end of a retention", "a specification in which results are kept for ever"],
      [
        "the comparison sees the order at a key",
        "a specification in which the last one in the queue of a key is the next",
      ],
    ],
  },
  "beside-reference": {
    "test/beside-reference/planted.test.ts": [
      ["attempts end at the limit of the retry policy", "one attempt too many"],
      ["a cleared value is gone", "state is never cleared"],
      ["a caller gets the failure of its call", "a failed call has another code"],
      ["a promise without a value has none", "a promise is peeked before its time"],
      ["a signal carries its value", "a signal loses its value"],
      ["an attach gets the result of the invocation", "an attach gets another result"],
      ["I9", "a restart keeps the input alone"],
      ["equal failures in a row are one event", "each failure is noted anew"],
    ],
    "test/beside-reference/limits/planted.test.ts": [
      ["I13", "a place more than the limit"],
      ["no place is free while one waits for it", "a holder beyond the limit stays there"],
      ["of a level, the most specific pattern counts", "the pattern with the fewest names counts"],
      ["a disabled rule limits nothing", "a disabled rule limits"],
    ],
  },
};

export const MISTAKES = Object.entries(CATALOGUE).flatMap(([suite, files]) =>
  Object.entries(files).flatMap(([file, rows]) => rows.map(([breaks, what]) => ({ suite, file, what, breaks }))),
);
