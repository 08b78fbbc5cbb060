/** The two vocabularies of a status: the words of the API, and the words of the SQL tables that show the stored status. */

export const PRESENTED = [
  "scheduled",
  "pending",
  "ready",
  "running",
  "backing-off",
  "suspended",
  "paused",
  "completed",
] as const;
export type Presented = (typeof PRESENTED)[number];

export type StatusWords = "presented" | "stored";

export function storedStatus(presented: Presented): string {
  switch (presented) {
    case "pending":
      return "inboxed";
    case "ready":
    case "running":
    case "backing-off":
      return "invoked";
    case "scheduled":
    case "suspended":
    case "paused":
    case "completed":
      return presented;
  }
}

export function statusIn(words: StatusWords, presented: Presented): string {
  return words === "presented" ? presented : storedStatus(presented);
}

export function isPresented(word: string): word is Presented {
  return (PRESENTED as readonly string[]).includes(word);
}
