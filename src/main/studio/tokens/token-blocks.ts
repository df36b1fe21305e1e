import { formatOutpoint } from '../../../chain/index.ts';
import type { GalleryOptions } from './gallery.ts';

/**
 * Counts tokens by the height of their block: those minted here, alone or in a run, and those the wallet received.
 * @returns the lowest block first; blocks without tokens are left out
 */
export async function tokenBlocks({
  store,
  network,
  wallet,
}: GalleryOptions): Promise<{ height: number; tokens: number }[]> {
  const counts = new Map<number, number>();
  const add = (height: number, tokens: number): void => {
    counts.set(height, (counts.get(height) ?? 0) + tokens);
  };
  const mints = await store.db
    .selectFrom('studio_jobs')
    .innerJoin('studio_job_items', 'studio_job_items.job_id', 'studio_jobs.id')
    .select(({ fn }) => ['txid', 'block_height', fn.countAll().as('tokens')])
    .where('network', '=', network)
    .where('txid', 'is not', null)
    .groupBy('studio_jobs.id')
    .execute();
  for (const { block_height, tokens } of mints) if (block_height !== null) add(Number(block_height), Number(tokens));
  const mintedIn = new Set(mints.map(({ txid }) => txid));
  const others = await store.db
    .selectFrom('studio_read_tokens')
    .select('outpoint')
    .where('network', '=', network)
    .where('origin', 'is', null)
    .execute();
  const noTokens = new Set(others.map(({ outpoint }) => outpoint));
  for (const { utxo, height } of wallet.nonFundingOutputs()) {
    const isToken = utxo.satoshis === 1 && !mintedIn.has(utxo.txid) && !noTokens.has(formatOutpoint(utxo));
    if (isToken && height !== null) add(height, 1);
  }
  return [...counts].map(([height, tokens]) => ({ height, tokens })).sort((a, b) => a.height - b.height);
}
