import { InvalidArgumentError } from 'commander';

/** Reads a number of an option, for example of satoshis. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

/** The same without 0. @throws InvalidArgumentError */
export function readCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}
