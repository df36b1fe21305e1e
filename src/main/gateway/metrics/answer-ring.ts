/** Number of answers to keep, characters of each, and characters of all. */
const KEPT_ANSWERS = 500;
export const LONGEST_ANSWER = 65_536;
const MOST_CHARACTERS = 16 * 1_048_576;

export interface KeptAnswer {
  readonly text: string;
  /** Only its beginning was kept. */
  readonly isCut: boolean;
}

/** The answers of the newest calls, by the call's number: at most 500, together at most 16 million characters. */
export class AnswerRing {
  readonly #answers: (KeptAnswer | undefined)[] = [];
  readonly #numbers = new Float64Array(KEPT_ANSWERS);
  #size = 0;
  /** The oldest number that may still be kept. */
  #oldest = 1;

  /** @param number rises with each call */
  add(number: number, text: string): void {
    const isCut = text.length > LONGEST_ANSWER;
    // a copy, because a substring would keep all of it in memory
    const kept = isCut ? Buffer.from(text.slice(0, LONGEST_ANSWER)).toString() : text;
    this.#drop(number - KEPT_ANSWERS);
    this.#answers[number % KEPT_ANSWERS] = { text: kept, isCut };
    this.#numbers[number % KEPT_ANSWERS] = number;
    this.#size += kept.length;
    while (this.#size > MOST_CHARACTERS && this.#oldest < number) this.#drop(this.#oldest);
  }

  get(number: number): KeptAnswer | undefined {
    const slot = number % KEPT_ANSWERS;
    return number > 0 && this.#numbers[slot] === number ? this.#answers[slot] : undefined;
  }

  clear(): void {
    this.#answers.length = 0;
    this.#numbers.fill(0);
    this.#size = 0;
  }

  #drop(upTo: number): void {
    const first = Math.max(this.#oldest, upTo - KEPT_ANSWERS + 1);
    for (let number = first; number <= upTo; number++) {
      const slot = number % KEPT_ANSWERS;
      if (this.#numbers[slot] !== number) continue;
      this.#size -= this.#answers[slot]?.text.length ?? 0;
      this.#answers[slot] = undefined;
      this.#numbers[slot] = 0;
    }
    this.#oldest = Math.max(this.#oldest, upTo + 1);
  }
}
