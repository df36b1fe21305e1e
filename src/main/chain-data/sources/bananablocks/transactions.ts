import { z } from 'zod';
import { phrase } from '../../../../contract/index.ts';
import { JSON_ANSWER, mapped, shaped } from '../answers.ts';
import { readBulk, readEach } from '../history-pages.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import { operatorOf } from '../operators.ts';
import { type AddressHistory, idIn, ofId, TRANSACTION, type TransactionSource } from '../transaction-source.ts';

/** Its mirror of WhatsOnChain calls every network so. */
const MIRROR = '/bsv/main';

const placed = z.object({ block_hash: z.string().nullish() });
const proofs = z.record(z.string(), z.unknown());
const spend = z.union([
  z.object({ spent: z.literal(false) }),
  z.object({ spent: z.literal(true), spentTxid: z.string() }),
]);

/** Transactions as BananaBlocks has them (public-services.md 3.1). @param client of `…/api/v1` */
export function bananaBlocksTransactions(client: SourceClient): TransactionSource {
  /** Whether its mirror takes many addresses in a request, which its documents do not say: it is asked once. */
  let hasBulk = true;

  async function history(
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<SourceAnswer<readonly AddressHistory[]>> {
    if (hasBulk) {
      const answer = await readBulk(client, MIRROR, addresses, signal);
      if (answer.state !== 'unknown') return answer;
      hasBulk = false;
    }
    return readEach(client, MIRROR, addresses, signal);
  }

  return {
    name: 'bananablocks',
    operator: operatorOf('bananablocks', client),
    transaction: async (txid, signal) => ofId(await client.get(`/tx/${txid}/bin`, { ...TRANSACTION, signal }), txid),
    async proof(txid, signal) {
      const request = { ...JSON_ANSWER, signal };
      const proof = shaped(await client.get(`/tx/${txid}/proof`, request), proofs);
      if (proof.state !== 'present') return proof;
      // its target is the Merkle root, which headers cannot be looked up by
      const place = shaped(await client.get(`/tx/${txid}`, request), placed);
      if (place.state !== 'present') return place;
      const { targetType: _, ...rest } = proof.value;
      return mapped(proof, () => ({ kind: 'tsc', json: { ...rest, target: place.value.block_hash } }));
    },
    history,
    async spender({ txid, vout }, signal) {
      const request = { ...JSON_ANSWER, signal };
      const answer = shaped(await client.get(`/txo/${txid}/${vout}/spend`, request), spend);
      if (answer.state !== 'present' || answer.value.spent)
        return idIn(answer, (value) => (value as { spentTxid: unknown }).spentTxid);
      return { state: 'absent', reason: phrase('reason.not-spent') };
    },
  };
}
