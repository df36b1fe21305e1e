import { englishText, type Phrase, type Reason } from '../contract/index.ts';

/** Why something that was tried ended, in a sentence that another failure names as its reason. */
export class PhrasedError extends Error {
  readonly sentence: Phrase;

  constructor(sentence: Phrase) {
    super(englishText(sentence));
    this.sentence = sentence;
  }
}

/** Why something failed: the sentence that the error carries, else the words of the system. */
export function reasonOf(error: unknown): Reason {
  const { sentence, message } = error as { sentence?: Phrase; message?: string };
  return sentence ?? message ?? String(error);
}
