import { z } from 'zod';
import { fromHex, type Outpoint } from '../../../../chain/index.ts';
import { hashSchema, phrase } from '../../../../contract/index.ts';
import { noteParts } from '../../../async/asker.ts';
import type { ProofInput } from '../../../ports/headers.ts';
import { idsSchema } from '../../answers.ts';
import { inParts, JSON_ANSWER, mapped, shaped } from '../answers.ts';
import { readBulk } from '../history-pages.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import { operatorOf } from '../operators.ts';
import { idIn, ofId, TRANSACTION, type TransactionSource } from '../transaction-source.ts';

/** A path of 32 levels has two kilobytes in hex. */
const PATH = { kind: 'text', limitBytes: 65_536, deadlineMs: 15_000 } as const;

/** A block with its header, up to a thousand ids and its first transaction; a page of further ids. */
const BLOCK = { kind: 'json', limitBytes: 8_000_000, deadlineMs: 30_000 } as const;
/** Blocks with more transactions are not listed. */
const LISTED = 1_000_000;
/** Transactions that one request may name. */
const MANY = 20;
const BULK = { kind: 'json', limitBytes: 24_000_000, deadlineMs: 60_000 } as const;

const hexes = z.array(
  z.object({
    txid: hashSchema,
    hex: z
      .string()
      // no pattern of pairs, which takes no more than ten million digits
      .regex(/^[0-9a-f]+$/i)
      .refine((digits) => digits.length % 2 === 0)
      .optional(),
  }),
);

const block = z.object({
  tx: idsSchema,
  txcount: z.number().int().min(1),
  pages: z.object({ uri: z.array(z.string()) }).nullish(),
});

/** As many ids as a node's own list may have where it is read. */
const MEMPOOL = { kind: 'json', limitBytes: 24_000_000, deadlineMs: 60_000 } as const;
const count = z.number().int().min(0);
const SATOSHIS = 100_000_000;
const mempoolInfo = z
  .object({ size: count, bytes: count, usage: count, maxmempool: count, mempoolminfee: z.number().min(0).max(1) })
  .transform(({ size, bytes, usage, maxmempool: most, mempoolminfee }) => ({
    size,
    bytes,
    usage,
    most,
    leastFee: Math.round(mempoolminfee * SATOSHIS),
  }));

const spends = z.array(
  z.object({
    utxo: z.object({ txid: hashSchema, vout: z.number().int().min(0) }),
    spentIn: z.object({ txid: z.string() }).nullable(),
  }),
);

/** Transactions as WhatsOnChain has them (public-services.md 1.4 to 1.6 and 1.8). @param client of `…/v1/bsv/<network>` */
export function whatsOnChainTransactions(client: SourceClient): TransactionSource {
  /** The newer form first; some deployments have the older one alone. */
  async function proof(txid: string, signal?: AbortSignal): Promise<SourceAnswer<ProofInput>> {
    const bump = await client.get(`/tx/${txid}/proof/bump`, { ...PATH, signal });
    if (bump.state === 'present' && /^([0-9a-f]{2})+$/i.test(bump.value))
      return { ...bump, value: { kind: 'bump', bytes: fromHex(bump.value) } };
    if (bump.state === 'unavailable') return bump;
    const tsc = await client.get(`/tx/${txid}/proof/tsc`, { ...JSON_ANSWER, signal });
    if (tsc.state !== 'present') return tsc;
    const [json] = Array.isArray(tsc.value) ? (tsc.value as unknown[]) : [];
    if (json === undefined) return { state: 'unknown', reason: phrase('reason.no-block') };
    return { ...tsc, value: { kind: 'tsc', json } };
  }

  /** Twenty that are long are more than is taken at once: the answer is as if it had none. */
  async function transactions(
    txids: readonly string[],
    signal?: AbortSignal,
  ): Promise<SourceAnswer<ReadonlyMap<string, Uint8Array>>> {
    const request = { ...BULK, signal };
    const answer = await inParts(txids, MANY, async (some) =>
      shaped(await client.post('/txs/hex', { txids: some }, request), hexes),
    );
    return mapped(answer, (rows) => new Map(rows.flatMap(({ txid, hex }) => (hex ? [[txid, fromHex(hex)]] : []))));
  }

  async function spent(
    outpoints: readonly Outpoint[],
    signal?: AbortSignal,
  ): Promise<SourceAnswer<readonly Outpoint[]>> {
    const request = { ...JSON_ANSWER, signal };
    const answer = await inParts(outpoints, MANY, async (some) => {
      const utxos = some.map(({ txid, vout }) => ({ txid, vout }));
      return shaped(await client.post('/utxos/spent', { utxos }, request), spends);
    });
    return mapped(answer, (rows) => rows.flatMap(({ utxo, spentIn }) => (spentIn === null ? [] : [utxo])));
  }

  /** Up to a thousand ids come with the block, of more the first ones, and the others on pages: from the first one, or from where those end. */
  async function blockIds(hash: string, signal?: AbortSignal): Promise<SourceAnswer<readonly string[]>> {
    const request = { ...BLOCK, signal };
    const answer = shaped(await client.get(`/block/hash/${hash}`, request), block);
    if (answer.state !== 'present') return answer;
    const { tx, txcount, pages } = answer.value;
    if (txcount > LISTED) return { state: 'unavailable', reason: phrase('reason.block-too-long', { count: txcount }) };
    const listed: string[] = [];
    const count = pages?.uri.length ?? 0;
    for (let page = 1; page <= count && listed.length < txcount; page++) {
      noteParts('pages', page - 1, count);
      const more = shaped(await client.get(`/block/hash/${hash}/page/${page}`, request), idsSchema);
      if (more.state !== 'present') return more;
      listed.push(...more.value);
    }
    return mapped(answer, () => (listed.length >= txcount ? listed : [...tx, ...listed]));
  }

  return {
    mempool: async (signal) => shaped(await client.get('/mempool/info', { ...JSON_ANSWER, signal }), mempoolInfo),
    mempoolIds: async (signal) => shaped(await client.get('/mempool/raw', { ...MEMPOOL, signal }), idsSchema),
    spent,
    transactions,
    blockIds,
    history: (addresses, signal) => readBulk(client, '', addresses, signal),
    name: 'whatsonchain',
    operator: operatorOf('whatsonchain', client),
    proof,
    transaction: async (txid, signal) => ofId(await client.get(`/tx/${txid}/bin`, { ...TRANSACTION, signal }), txid),
    async coinbase(hash, signal) {
      const answer = await client.get(`/block/hash/${hash}`, { ...BLOCK, signal });
      return idIn(answer, (value) => (value as { tx?: unknown[] } | null)?.tx?.[0]);
    },
    async spender({ txid, vout }, signal) {
      const answer = await client.get(`/tx/${txid}/${vout}/spent`, { ...JSON_ANSWER, signal });
      // 404 is an output that is known and unspent, 400 one that is not known
      if (answer.state === 'unknown' && answer.status === 404) return { ...answer, state: 'absent' };
      return idIn(answer, (value) => (value as { txid?: unknown } | null)?.txid);
    },
  };
}
