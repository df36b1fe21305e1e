import type { HeldToken, TokenContract, TokenHolding } from '../../../contract/index.ts';
import type { ActionSubject } from './action-dialog.tsx';

/** What can be done with a token by itself, in the order it is offered. */
export const tokenSteps = ['transfer', 'split', 'merge', 'redeem'] as const;
export type TokenStep = (typeof tokenSteps)[number];

/** Issuing a contract; undefined where it cannot be read, or is in use. @param own the wallet's address for tokens */
export function issueOf({ outpoint, satoshis, schema, inUse }: TokenContract, own: string): ActionSubject | undefined {
  if (inUse || schema === null) return undefined;
  return { action: 'issue', symbol: schema.symbol, outpoint, satoshis, own, others: [], splittable: true };
}

/** A step with one token of a holding; undefined where the token does not allow it now. */
export function stepOf(
  step: TokenStep,
  token: HeldToken,
  holding: TokenHolding,
  own: string,
): ActionSubject | undefined {
  const { symbol, splittable, mergeable, tokens } = holding;
  const others = tokens.filter((other) => other !== token && !other.inUse && other.address === token.address);
  const isPossible = {
    transfer: true,
    split: splittable && token.satoshis > 1,
    merge: mergeable && others.length > 0,
    redeem: true,
  };
  if (token.inUse || !isPossible[step]) return undefined;
  return { action: step, symbol, outpoint: token.outpoint, satoshis: token.satoshis, own, others, splittable };
}
