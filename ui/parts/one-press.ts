/** The state of a button that acts at one press, without a question, and offers another try only after a failure. */
import { useState } from "preact/hooks";

export interface OnePress {
  /** The progress or the result; empty before the first press. */
  readonly words: string;
  readonly canPress: boolean;
  readonly press: () => Promise<void>;
}

/**
 * @param act makes the change, and returns its result in words
 * @param failed turns the message of a failure, which may contain hidden characters, into the words to show
 */
export function useOnePress(busy: string, act: () => Promise<string>, failed: (message: string) => string): OnePress {
  const [words, setWords] = useState("");
  const [canPress, setCanPress] = useState(true);
  const press = async (): Promise<void> => {
    setCanPress(false);
    setWords(busy);
    try {
      setWords(await act());
    } catch (error) {
      setWords(failed((error as Error).message));
      setCanPress(true);
    }
  };
  return { words, canPress, press };
}
