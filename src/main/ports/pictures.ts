/** A page with a token's picture, its facts and a code. */
export interface CertificatePage {
  readonly name: string;
  /** Above the picture, in small letters. */
  readonly heading: string;
  /** Below the name: number, collection, artist. */
  readonly line: string;
  /** As plates below it, each with how many have it where that is known. */
  readonly traits: readonly (readonly [name: string, value: string, share: string])[];
  /** Of the words on the page, as in HTML. */
  readonly language: string;
  /** What is printed below the traits, in order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Printed beside the code: what this page is and is not. */
  readonly note: string;
  /** What the code says. */
  readonly code: string;
  /** The inscribed bytes, or the words of a text; whatever is neither picture nor text is left out. */
  readonly art: Uint8Array | string | null;
}

/** Pictures made of what other people wrote. They are decoded in processes of their own, which have no keys. */
export interface Pictures {
  /**
   * Makes a small picture of a large one.
   * @param path of a file. The process reads it by itself, as a file may be larger than what is handed to another process without effort
   * @returns WebP of at most 320 pixels a side; `too-large` where it has more pixels than are decoded; `too-slow` where decoding it took too
   * long, as it may while others are decoded; null where no decoder opens the file
   * @throws PlanchetError `cancelled` when stopped meanwhile; Error where the process ended over it twice
   */
  thumbnail(path: string): Promise<Uint8Array | 'too-large' | 'too-slow' | null>;
  /**
   * Makes a picture of inscribed bytes that is no larger than a page needs.
   * @param side most pixels of its longer side
   * @returns WebP of the first frame, upright; `too-large`, `too-slow` and null as for thumbnails
   * @throws as for thumbnails
   */
  resized(content: Uint8Array, side: number): Promise<Uint8Array | 'too-large' | 'too-slow' | null>;
  /** @returns PDF of one A4 page. @throws PlanchetError `cancelled` when stopped meanwhile; Error where the process ended over it twice */
  certificate(page: CertificatePage): Promise<Uint8Array>;
  /** Ends the process; what is being made, or waits, fails with `cancelled`. A later picture starts another one. */
  stop(): Promise<void>;
}
