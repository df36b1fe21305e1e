import { expect } from 'vitest';
import { p2pkhScript, type TxOutput, type Utxo } from '../../chain/index.ts';
import type { TokenFields, TokenSpend } from '../covenant/template.ts';
import {
  coin,
  type ForgedInput,
  type Forgery,
  forge,
  hashOf,
  judge,
  out,
  outpoint,
  output,
  tokenScript,
} from './forge.ts';
import { keys } from './keys.ts';

/** Satoshis of the token that every case spends. */
export const AMOUNT = 1_000;
const PAYMENT = 5_000;
/** Satoshis of the change in every valid case. */
export const CHANGE = 4_000;
const { alice, bob, carol, issuer, payer } = keys;
export const changeScript = p2pkhScript(hashOf(payer));
/** Locking script of redeemed value. */
export const redemptionScript = p2pkhScript(hashOf(issuer));

/** A spend of one token: what the transaction does, and what its unlocking script claims. */
export interface SpendCase {
  readonly name: string;
  readonly outputs: readonly TxOutput[];
  readonly claim?: Partial<TokenSpend>;
  readonly claims?: ForgedInput['claims'];
  readonly payment?: boolean;
  readonly splittable?: boolean;
}

/** Spends one of Alice's tokens of 1,000 satoshis together with a payment. By default it claims a transfer to Bob. */
export function attempt(
  version: 1 | 2,
  { outputs, claim, claims, payment = true, splittable = true }: SpendCase,
  txVersion = 1,
): Forgery {
  const token = output(tokenScript(alice, version, { splittable }), AMOUNT);
  const paying = coin(payer, PAYMENT);
  const honest: TokenSpend = {
    tokens: [{ satoshis: AMOUNT as Utxo['satoshis'], owner: hashOf(bob) }],
    ...(payment ? { payment: outpoint(paying), change: change(CHANGE) } : {}),
  };
  const inputs: ForgedInput[] = [
    { utxo: token, key: alice, version, claim: { ...honest, ...claim }, ...(claims ? { claims } : {}) },
  ];
  if (payment) inputs.push({ utxo: paying, key: payer });
  return forge(inputs, outputs, 0, txVersion);
}

/** A claim of change. */
export function change(satoshis: number, keyHash = hashOf(payer)): NonNullable<TokenSpend['change']> {
  return { satoshis: satoshis as Utxo['satoshis'], keyHash };
}

/** A claim of token outputs: to Bob, Carol, Alice and Bob again, in this order. */
export function tokens(...amounts: number[]): Pick<TokenSpend, 'tokens'> {
  const owners = [bob, carol, alice, bob];
  return {
    tokens: amounts.map((amount, i) => ({
      satoshis: amount as Utxo['satoshis'],
      owner: hashOf(owners[i] as typeof bob),
    })),
  };
}

/** A token output to the owner that {@link tokens} claims at this index. */
export function tokenOut(version: 1 | 2, amount: number, index = 0, fields: Partial<TokenFields> = {}): TxOutput {
  return out(tokenScript([bob, carol, alice, bob][index] as typeof bob, version, fields), amount);
}

/** The forgeries that passed, and the steps that rejected the others. */
export function run(version: 1 | 2, cases: readonly SpendCase[]): { passed: string[]; steps: string[] } {
  const passed: string[] = [];
  const steps = new Set<string>();
  for (const item of cases) {
    const verdict = judge(attempt(version, item));
    if (verdict.ok) passed.push(item.name);
    else {
      steps.add(verdict.step);
      // a forgery rejected at a signature would prove nothing about the rule
      expect(['P2PKH', 'owner', 'authenticate'], item.name).not.toContain(verdict.step);
    }
  }
  return { passed, steps: [...steps].sort() };
}

export const changeOut = out(changeScript, CHANGE);
