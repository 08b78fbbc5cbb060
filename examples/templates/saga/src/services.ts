/** Books a flight and a hotel. If a step fails for good or the trip is cancelled, the earlier bookings are given back. */
import * as restate from "@restatedev/restate-sdk";

const FULL = "full";
const DOWN = "down";

interface Trip {
  readonly traveller: string;
  readonly flight: string;
  readonly hotel: string;
}

interface Booked {
  readonly flight: string;
  readonly hotel: string;
}

/** Simulates a call to an external system. A retry is safe, because it has the same reference. */
function book(kind: string, name: string, reference: string): string {
  if (name === FULL) throw new restate.TerminalError(`The ${kind} is fully booked`, { errorCode: 409 });
  // This error is not terminal: the step is retried until it succeeds or the trip is cancelled.
  if (name === DOWN) throw new Error(`The ${kind} does not answer`);
  console.log(`booked ${kind} ${name} (${reference})`);
  return reference;
}

function giveBack(kind: string, reference: string): void {
  console.log(`gave back ${kind} (${reference})`);
}

const trips = restate.service({
  name: "trips",
  handlers: {
    /** Adds each compensation before its step, so that a step that fails half-way is given back as well. */
    book: async (ctx: restate.Context, trip: Trip): Promise<Booked> => {
      const compensations: (() => Promise<void>)[] = [];
      try {
        const flight = ctx.rand.uuidv4();
        compensations.push(() => ctx.run("give back the flight", () => giveBack("flight", flight)));
        await ctx.run("book the flight", () => book("flight", trip.flight, flight));

        const hotel = ctx.rand.uuidv4();
        compensations.push(() => ctx.run("give back the hotel", () => giveBack("hotel", hotel)));
        await ctx.run("book the hotel", () => book("hotel", trip.hotel, hotel));

        return { flight, hotel };
      } catch (error) {
        // After any other error the handler is retried, without compensation. A cancellation is a terminal error.
        if (error instanceof restate.TerminalError) {
          for (const compensate of compensations.toReversed()) await compensate();
        }
        throw error;
      }
    },
  },
});

export const services = [trips];
