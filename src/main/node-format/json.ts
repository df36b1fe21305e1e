import type { Satoshis } from '../../chain/index.ts';

/** A number whose text matters: amounts carry decimals that JSON.stringify would drop. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** For callers in the same process that turn a result into JSON themselves; the decimals are lost then. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** What a command returns: JSON whose object keys are written in the order they were set; undefined ones are left out. */
export type RpcValue =
  | null
  | boolean
  | number
  | string
  | JsonNumber
  | readonly RpcValue[]
  | { readonly [key: string]: RpcValue | undefined };

const DECIMALS = 8;

function inBsv(satoshis: number): string {
  const digits = String(Math.abs(satoshis)).padStart(DECIMALS + 1, '0');
  return `${satoshis < 0 ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** An amount in BSV with exactly eight decimals. @example amount(1) // 0.00000001 */
export function amount(satoshis: Satoshis | number): JsonNumber {
  return new JsonNumber(inBsv(satoshis));
}

/** An amount in BSV with two to eight decimals, as transactions show their outputs. @example shortAmount(50_000_000) // 0.50 */
export function shortAmount(satoshis: Satoshis): JsonNumber {
  return new JsonNumber(inBsv(satoshis).replace(/0{1,6}$/, ''));
}

const SIGNIFICANT_DIGITS = 16;

/**
 * A fraction as the node's stream writes it: sixteen significant digits, and an exponent of two digits for what is small.
 * @example real(2 / 300_000) // 6.666666666666667e-06
 */
export function real(value: number): JsonNumber {
  const [digits = '0', exponent = '0'] = value.toExponential(SIGNIFICANT_DIGITS - 1).split('e');
  const power = Number(exponent);
  const short = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  if (power < -4 || power >= SIGNIFICANT_DIGITS) {
    return new JsonNumber(`${short}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`);
  }
  const plain = value.toFixed(Math.max(0, SIGNIFICANT_DIGITS - 1 - power));
  return new JsonNumber(plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain);
}

/** Writes a result as compact JSON. */
export function writeJson(value: RpcValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value as { readonly [key: string]: RpcValue | undefined })
    .filter((member): member is [string, RpcValue] => member[1] !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${writeJson(member)}`);
  return `{${members.join(',')}}`;
}
