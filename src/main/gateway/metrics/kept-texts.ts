export interface KeptTextsLimits {
  /** Number of the newest calls whose texts are kept. */
  readonly calls: number;
  /** Characters of all texts together. */
  readonly characters: number;
}

/** Texts of the newest calls, by the call's number. They are in a ring, because a map passes over its deleted entries at each call. */
export class KeptTexts {
  readonly #limits: KeptTextsLimits;
  readonly #texts: (string | undefined)[] = [];
  /** The oldest number whose text may still be kept, and the newest. */
  #oldest = 1;
  #newest = 0;
  #characters = 0;

  constructor(limits: KeptTextsLimits) {
    this.#limits = limits;
  }

  /** @param number rises with each call, from 1 @param text no substring of a long text, see {@link copyOf} */
  add(number: number, text: string): void {
    const { calls, characters } = this.#limits;
    if (number - this.#newest >= calls) {
      this.clear();
      this.#oldest = number;
    }
    this.#characters += text.length;
    while (this.#oldest < number && (this.#oldest <= number - calls || this.#characters > characters))
      this.#dropOldest();
    this.#texts[number % calls] = text;
    this.#newest = number;
  }

  get(number: number): string | undefined {
    return number < this.#oldest || number > this.#newest ? undefined : this.#texts[number % this.#limits.calls];
  }

  clear(): void {
    this.#texts.length = 0;
    this.#oldest = this.#newest + 1;
    this.#characters = 0;
  }

  #dropOldest(): void {
    const slot = this.#oldest % this.#limits.calls;
    this.#characters -= this.#texts[slot]?.length ?? 0;
    this.#texts[slot] = undefined;
    this.#oldest += 1;
  }
}

/** Where short texts are copied. */
const scratch = Buffer.alloc(4_096);

/** The same text. A substring keeps the whole text that it is part of in memory; its copy does not. */
export function copyOf(text: string): string {
  // three bytes at most for each unit of UTF-16
  if (text.length * 3 > scratch.length) return Buffer.from(text).toString();
  return scratch.toString('utf8', 0, scratch.write(text));
}
