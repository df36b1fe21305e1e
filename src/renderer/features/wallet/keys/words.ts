/** Numbers of words a seed can have (BIP39). */
export const wordCounts = [12, 15, 18, 21, 24] as const;

/** The words of a phrase as typed or pasted: in lower case, without numbers or punctuation between them. */
export function wordsOf(phrase: string): string[] {
  return phrase
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');
}

export function isWordCount(count: number): boolean {
  return wordCounts.some((one) => one === count);
}
