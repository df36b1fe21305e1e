import { keyLockOf, p2pkhScript, readInscription, sha256, toHex, type Utxo } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { Coin } from './storage/coin-edit.ts';

/** Inscriptions of more bytes are not kept: the chain has them, and a collection of pictures would fill the memory. */
const KEPT_BYTES = 1_000;
type KeptScript = Pick<Coin, 'lockingScript' | 'scriptHash'>;

/**
 * What the wallet keeps of a locking script: P2PKH of its key and the hash of the whole where it is a long inscription, otherwise all of
 * it.
 */
export function keptScript(script: Uint8Array): KeptScript {
  const lock = script.length > KEPT_BYTES ? keyLockOf(script) : undefined;
  const isLong = lock?.complete === true && readInscription(script) !== undefined;
  // A copy: the script may be a view of its whole block.
  if (!isLong) return { lockingScript: script.slice(), scriptHash: null };
  return { lockingScript: p2pkhScript(lock.pubKeyHash), scriptHash: toHex(sha256(script)) };
}

export function hasScript({ lockingScript, scriptHash }: KeptScript, script: Uint8Array): boolean {
  return scriptHash === null ? toHex(lockingScript) === toHex(script) : scriptHash === toHex(sha256(script));
}

/**
 * An unspent output with all of its script, which is asked for where the wallet keeps the lock alone.
 * @throws PlanchetError `not-found` where nobody has the output | `upstream-*`
 */
export async function wholeUtxo(chainData: ChainData, { txid, vout, satoshis, ...kept }: Coin): Promise<Utxo> {
  if (kept.scriptHash === null) return { txid, vout, satoshis, lockingScript: kept.lockingScript };
  const { value: found } = await chainData.output({ txid, vout });
  const lockingScript = found?.state === 'unspent' ? found.output?.script : undefined;
  if (lockingScript !== undefined && hasScript(kept, lockingScript)) return { txid, vout, satoshis, lockingScript };
  throw new PlanchetError('wallet.token-script-unknown', { outpoint: `${txid}_${vout}` });
}
