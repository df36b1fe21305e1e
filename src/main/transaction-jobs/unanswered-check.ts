import { phrase, type ReviewCheck, reviewCheck } from '../../contract/index.ts';
import type { TokenWallet } from '../ports/wallet.ts';

/** Says where only the wallet knows that what is spent is unspent. @returns nothing where somebody who knows the chain has confirmed it */
export function unansweredCheck({ knownAloneFrom }: Pick<TokenWallet, 'knownAloneFrom'>): ReviewCheck[] {
  return knownAloneFrom === undefined
    ? []
    : [reviewCheck('unanswered', [], phrase('review.unanswered', { height: knownAloneFrom }))];
}
