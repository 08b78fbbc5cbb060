/** A trip is booked, or what was booked of it is given back. */
import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import { startStepwell, type Stepwell } from "./stepwell.ts";

let stepwell: Stepwell;
before(async () => {
  stepwell = await startStepwell();
});
after(() => stepwell.stop());

const printed = mock.method(console, "log", () => undefined);
const lines = (): readonly string[] => printed.mock.calls.map((call) => String(call.arguments[0]));

test("books a trip", async () => {
  const { status } = await stepwell.call("trips/book", { traveller: "Ada", flight: "LH1", hotel: "Ritz" });
  assert.equal(status, 200);
  assert.equal(
    lines().some((line) => line.startsWith("gave back")),
    false,
  );
});

test("gives the flight back if the hotel is full", async () => {
  const { status } = await stepwell.call("trips/book", { traveller: "Ada", flight: "LH2", hotel: "full" });
  assert.equal(status, 409);
  assert.equal(
    lines().some((line) => line.startsWith("gave back flight")),
    true,
  );
});
