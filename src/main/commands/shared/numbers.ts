import { InvalidArgumentError } from 'commander';

/** Reads a number of an option, for example of satoshis. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

/** Reads the id of a transaction, in either case. @throws InvalidArgumentError */
export function readTxid(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('It must be a transaction id, 64 hex digits.');
  return text.toLowerCase();
}

/** The same without 0. @throws InvalidArgumentError */
export function readCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}
