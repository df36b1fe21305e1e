import { create } from 'zustand';
import { askedReceivers, type WalletSendRequest } from '../../../../contract/index.ts';

/** The smallest amount that is money: an output of one satoshi is a token. */
export const SMALLEST_AMOUNT = 2;

export interface Receiver {
  /** React key of the row. */
  key: number;
  address: string;
  /** Satoshis; empty until something was typed, NaN while that is no amount. */
  satoshis: number | '';
}

interface Draft {
  receivers: readonly Receiver[];
  /** The last receiver gets all that is left. */
  all: boolean;
  /** Satoshis per 1,000 bytes; empty for the miner's quote, NaN while what was typed is no number. */
  feeRate: number | '';
  /** Outpoints to spend; null lets the wallet choose. */
  coins: readonly string[] | null;
  label: string;
}

interface SendDraft extends Draft {
  change(change: Partial<Draft>): void;
  /** Begins with these coins chosen. */
  choose(coins: readonly string[]): void;
  /** Takes up a request that was reviewed and is to be changed. */
  load(request: WalletSendRequest): void;
  clear(): void;
}

let lastKey = 0;

/** A new row of the form. */
export function receiver(address = '', satoshis: number | '' = ''): Receiver {
  lastKey += 1;
  return { key: lastKey, address, satoshis };
}

const empty = (): Draft => ({ receivers: [receiver()], all: false, feeRate: '', coins: null, label: '' });

/** The form of a payment. It outlives the page, so that nothing typed is lost on another page. */
export const useSendDraft = create<SendDraft>((set) => ({
  ...empty(),
  change: (change) => set(change),
  choose: (coins) => set({ coins }),
  load: ({ feeRate, coins, label, ...request }) => {
    const to = askedReceivers(request);
    set({
      receivers: to.map(({ address, satoshis }) => receiver(address, satoshis === 'all' ? '' : satoshis)),
      all: to.at(-1)?.satoshis === 'all',
      feeRate: feeRate ?? '',
      coins: coins ?? null,
      label: label ?? '',
    });
  },
  clear: () => set(empty()),
}));

/** The request a filled-in form stands for. */
export function requestOf({ receivers, all, feeRate, coins, label }: Draft): WalletSendRequest {
  return {
    to: receivers.map(({ address, satoshis }, index) => ({
      address,
      satoshis: all && index === receivers.length - 1 ? 'all' : Number(satoshis),
    })),
    ...(feeRate === '' ? {} : { feeRate }),
    ...(coins === null ? {} : { coins: [...coins] }),
    ...(label.trim() === '' ? {} : { label: label.trim() }),
  };
}

/** Sum of the amounts that were typed, in satoshis. */
export function sumOf({ receivers, all }: Pick<Draft, 'receivers' | 'all'>): number {
  return receivers.slice(0, all ? -1 : undefined).reduce((total, { satoshis }) => total + (Number(satoshis) || 0), 0);
}
