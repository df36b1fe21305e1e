export interface KeptTextsLimits {
  /** Number of the newest calls whose texts are kept. */
  readonly calls: number;
  /** Characters of all texts together. */
  readonly characters: number;
}

/** Texts of the newest calls, by the call's number. */
export class KeptTexts {
  readonly #limits: KeptTextsLimits;
  readonly #texts = new Map<number, string>();
  #characters = 0;

  constructor(limits: KeptTextsLimits) {
    this.#limits = limits;
  }

  /** @param number rises with each call @param text no substring of a long text, see {@link copyOf} */
  add(number: number, text: string): void {
    this.#texts.set(number, text);
    this.#characters += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#characters <= this.#limits.characters && oldest > number - this.#limits.calls) break;
      this.#texts.delete(oldest);
      this.#characters -= length;
    }
  }

  get(number: number): string | undefined {
    return this.#texts.get(number);
  }

  clear(): void {
    this.#texts.clear();
    this.#characters = 0;
  }
}

/** The same text. A substring keeps the whole text that it is part of in memory; its copy does not. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
