import type { Logger } from 'pino';
import type { Network } from '../../../../contract/index.ts';
import type { ChainData } from '../../../ports/chain-data.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FeeQuote, Merchant } from '../../../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../../../ports/merchant/transactions.ts';
import type { SettingsView } from '../../../ports/settings.ts';
import type { MintWallet } from '../../../ports/wallet.ts';
import type { ContentStore } from '../../content/content-store.ts';
import type { Thumbnails } from '../../content/thumbnails.ts';
import type { ItemStore } from '../../projects/items.ts';
import type { TokenApi } from '../../projects/token-api.ts';
import type { Journal } from '../journal.ts';

/** Where a test may end the process: after every effect outside of it, on the disk or at another party. */
export const crashPoints = [
  'upload-intent',
  'upload-sent',
  'uploaded',
  'coins-reserved',
  'build-intent',
  'build-sent',
  'built',
  'reviewed',
  'approved',
  'sign-done',
  'signed',
  'submit-sent',
  'submitted',
  'seen',
  'mined',
  'proven',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

export interface StepContext {
  readonly network: Network;
  readonly settings: SettingsView;
  readonly wallet: MintWallet;
  readonly chainData: ChainData;
  readonly merchant: Merchant;
  readonly tracker: TransactionTracker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly api: TokenApi;
  readonly files: ContentStore;
  /** Whether a content claims to be a picture that no decoder opens. */
  readonly isUnreadable: Thumbnails['isUnreadable'];
  readonly items: ItemStore;
  readonly journal: Journal;
  readonly crash: (where: CrashPoint) => void;
  /** Ends the calls of the running step. */
  readonly signal: AbortSignal;
}

/** `next`: go on at once. `rest`: wait for an event. A number: run again after so many milliseconds. */
export type StepOutcome = 'next' | 'rest' | number;

/** A job's fee rates as journalled, and who gave them. */
export type Quote = Pick<FeeQuote, 'standard' | 'data' | 'source'>;
