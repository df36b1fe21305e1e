import { z } from 'zod';
import { fromHex } from '../../../../chain/index.ts';
import type { ProofInput } from '../../../ports/headers.ts';
import { mapped, shaped } from '../answers.ts';
import { historyRows, PAGE_ROWS, readMinedPages, rowsOf } from '../history-pages.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import { type HistoryRow, idIn, ofId, type TransactionSource, transactionRequest } from '../transaction-source.ts';

const JSON_ANSWER = { kind: 'json', limitBytes: 262_144, deadlineMs: 15_000 } as const;
/** A path of 32 levels has two kilobytes in hex. */
const PATH = { kind: 'text', limitBytes: 65_536, deadlineMs: 15_000 } as const;

/** Addresses that one request may name, and what it may answer of each. */
const ADDRESSES = 20;
const BULK = { kind: 'json', limitBytes: 8_000_000, deadlineMs: 60_000 } as const;

const histories = z.array(z.object({ address: z.string(), confirmed: historyRows, unconfirmed: historyRows }));

/** Transactions as WhatsOnChain has them (public-services.md 1.4 to 1.6). @param client of `…/v1/bsv/<network>` */
export function whatsOnChainTransactions(client: SourceClient): TransactionSource {
  /** The newer form first; some deployments have the older one alone. */
  async function proof(txid: string, signal?: AbortSignal): Promise<SourceAnswer<ProofInput>> {
    const ended = signal && { signal };
    const bump = await client.get(`/tx/${txid}/proof/bump`, { ...PATH, ...ended });
    if (bump.state === 'present' && /^([0-9a-f]{2})+$/i.test(bump.value))
      return { ...bump, value: { kind: 'bump', bytes: fromHex(bump.value) } };
    if (bump.state === 'unavailable') return bump;
    const tsc = await client.get(`/tx/${txid}/proof/tsc`, { ...JSON_ANSWER, ...ended });
    if (tsc.state !== 'present') return tsc;
    const [json] = Array.isArray(tsc.value) ? (tsc.value as unknown[]) : [];
    if (json === undefined) return { state: 'unknown', reason: 'no block holds it' };
    return { ...tsc, value: { kind: 'tsc', json } };
  }

  async function some(addresses: readonly string[], signal?: AbortSignal): Promise<SourceAnswer<HistoryRow[]>> {
    const request = { ...BULK, ...(signal && { signal }) };
    const answer = shaped(await client.post('/addresses/history/all', { addresses }, request), histories);
    if (answer.state !== 'present') return answer;
    const rows: HistoryRow[] = [];
    for (const address of addresses) {
      const found = answer.value.find((one) => one.address === address);
      if (found === undefined || found.confirmed.error || found.unconfirmed.error)
        return { state: 'unavailable', reason: 'a history is missing in its answer' };
      const mined = rowsOf(address, found.confirmed);
      // as many rows as a page has may be cut
      const whole =
        mined.length < PAGE_ROWS ? { ...answer, value: mined } : await readMinedPages(client, '', address, signal);
      if (whole.state !== 'present') return whole;
      rows.push(...whole.value, ...rowsOf(address, found.unconfirmed));
    }
    return { ...answer, value: rows };
  }

  async function history(addresses: readonly string[], signal?: AbortSignal): Promise<SourceAnswer<HistoryRow[]>> {
    const rows: HistoryRow[] = [];
    let answer: SourceAnswer<HistoryRow[]> = { state: 'unknown', reason: 'no address' };
    for (let at = 0; at < addresses.length; at += ADDRESSES) {
      answer = await some(addresses.slice(at, at + ADDRESSES), signal);
      if (answer.state !== 'present') return answer;
      rows.push(...answer.value);
    }
    return mapped(answer, () => rows);
  }

  return {
    history,
    name: 'whatsonchain',
    operator: 'TAAL',
    proof,
    transaction: async (txid, signal) => ofId(await client.get(`/tx/${txid}/bin`, transactionRequest(signal)), txid),
    async spender({ txid, vout }, signal) {
      const answer = await client.get(`/tx/${txid}/${vout}/spent`, { ...JSON_ANSWER, ...(signal && { signal }) });
      // 404 is an output that is known and unspent, 400 one that is not known
      if (answer.state === 'unknown' && answer.status === 404) return { ...answer, state: 'absent' };
      return idIn(answer, (value) => (value as { txid?: unknown } | null)?.txid);
    },
  };
}
