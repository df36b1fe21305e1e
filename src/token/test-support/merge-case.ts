import { p2pkhScript, serializeTx, type Tx, type TxOutput, type Utxo } from '../../chain/index.ts';
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
  parentOf,
  tokenScript,
} from './forge.ts';
import { keys } from './keys.ts';

const { alice, bob, payer } = keys;
/** A token script owned by Alice. */
export const token = (fields: Partial<TokenFields> = {}) => tokenScript(alice, 2, fields);
export const changeOut = out(p2pkhScript(hashOf(payer)), 4_000);
export const sats = (n: number) => n as Utxo['satoshis'];

/** A token and the transaction that contains it. */
export interface TokenOfTx {
  readonly tx: Tx;
  readonly utxo: Utxo;
}

/** A merge of two of Alice's tokens; valid unless a property says otherwise. */
export interface MergeCase {
  readonly first?: TokenOfTx;
  readonly second?: TokenOfTx;
  /** Amounts of the token outputs; defaults to the sum of both. */
  readonly amounts?: readonly number[];
  /** Outputs that differ from the claims. */
  readonly outputs?: readonly TxOutput[];
  readonly claims?: readonly [ForgedInput['claims']?, ForgedInput['claims']?];
  readonly merges?: readonly [Partial<TokenSpend['merge']>?, Partial<TokenSpend['merge']>?];
  readonly modes?: readonly [boolean, boolean];
  readonly payment?: boolean;
  readonly redeemed?: number;
}

/** A transaction whose first output is a token of this amount. */
export const plain = (amount: number, fields: Partial<TokenFields> = {}) => parentOf([out(token(fields), amount)], 0);

/** The signed transaction of a case: both tokens, then a payment of 5,000 satoshis. */
export function mergeOf(given: MergeCase): Forgery {
  const { first = plain(700), second = plain(300), payment = true, modes = [true, true], redeemed } = given;
  const pair = [first, second] as const;
  const amounts = given.amounts ?? [first.utxo.satoshis + second.utxo.satoshis];
  const pay = coin(payer, 5_000);
  const inputs: ForgedInput[] = pair.map(({ utxo }, index) => {
    const other = pair[1 - index] as TokenOfTx;
    const claim: TokenSpend = {
      ...(redeemed ? { redeemed: sats(redeemed) } : {}),
      tokens: amounts.map((amount) => ({ satoshis: sats(amount), owner: hashOf(bob) })),
      ...(payment ? { payment: outpoint(pay), change: { satoshis: sats(4_000), keyHash: hashOf(payer) } } : {}),
      ...(modes[index]
        ? {
            merge: {
              other: outpoint(other.utxo),
              second: index === 1,
              previousTx: serializeTx(other.tx),
              ...given.merges?.[index],
            },
          }
        : {}),
    };
    const claims = given.claims?.[index];
    return { utxo, key: alice, claim, ...(claims ? { claims } : {}) };
  });
  if (payment) inputs.push({ utxo: pay, key: payer });
  const tokens = amounts.map((amount) => out(tokenScript(bob, 2), amount));
  if (redeemed) tokens.unshift(out(p2pkhScript(hashOf(keys.issuer)), redeemed));
  return forge(inputs, given.outputs ?? (payment ? [...tokens, changeOut] : tokens));
}

/** The step of the covenant that rejected a transaction. */
export function stepOf(forgery: Forgery): string {
  const verdict = judge(forgery);
  return verdict.ok ? 'passed' : verdict.step;
}

/** The forgeries that passed, and the steps that rejected the others. */
export function refusals(cases: readonly (readonly [string, MergeCase])[]): { passed: string[]; steps: string[] } {
  const found = cases.map(([name, item]) => [name, stepOf(mergeOf(item))] as const);
  return {
    passed: found.filter(([, step]) => step === 'passed').map(([name]) => name),
    steps: [...new Set(found.map(([, step]) => step))].sort(),
  };
}

/** Two outputs of one transaction, as created by a split without a fee. */
export function oneParent(): MergeCase {
  const first = parentOf([out(token(), 700), out(token(), 300)], 0);
  const utxo: Utxo = { ...first.utxo, vout: 1, satoshis: sats(300) };
  return { first, second: { tx: first.tx, utxo } };
}
