import {
  type Contract,
  MAX_SEND_MANY,
  PlanchetError,
  type SendManyList,
  type Serves,
} from '../../../../contract/index.ts';
import type { Tokens } from '../tokens.ts';
import { type Held, pairRecipients, type Recipients } from './pairing.ts';
import { readRecipients } from './recipient-list.ts';

export interface SendManyOptions {
  readonly tokens: Pick<Tokens, 'list'>;
  /** What the wallet knows of receivers now. */
  readonly recipients: () => Promise<Recipients>;
  /** Builds and reviews the payment. */
  readonly prepare: Serves<Contract['tokens']['sendMany']>['prepare'];
}

/** Lists of receivers, paired with the tokens of the wallet, and the payment that sends them. */
export function createSendMany({
  tokens,
  recipients,
  prepare,
}: SendManyOptions): Serves<Contract['tokens']['sendMany']> {
  return {
    prepare,
    async read({ list, name, tokens: outpoints }): Promise<SendManyList> {
      const known = await recipients();
      const looksLikeAddress = (text: string): boolean =>
        text !== '' && (known.check(text).failure === null || known.named(text) !== undefined);
      const bytes = new Uint8Array(await list.arrayBuffer());
      const found = await readRecipients({ bytes, name }, looksLikeAddress);
      const { lines } = found;
      if (lines.length === 0) throw new PlanchetError('tokens.list-empty');
      if (lines.length > MAX_SEND_MANY)
        throw new PlanchetError('wallet.send-many-limit', { count: lines.length, most: MAX_SEND_MANY });
      const filter = { owned: true, sort: 'number', reversed: false } as const;
      const { tokens: held } = await tokens.list({ ...filter, offset: 0, limit: Number.MAX_SAFE_INTEGER });
      const byPlace = new Map<string | null, Held>(
        held.flatMap((card) => [card.origin, card.outpoint].map((place) => [place, card] as const)),
      );
      const chosen = outpoints.map((outpoint) => {
        const card = byPlace.get(outpoint);
        if (card === undefined) throw new PlanchetError('wallet.send-no-token', { outpoint });
        return card;
      });
      return pairRecipients(found, { chosen: [...new Set(chosen)], held, recipients: known });
    },
  };
}
