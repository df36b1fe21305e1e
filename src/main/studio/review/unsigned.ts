import {
  fromHex,
  type ParsedTxObj,
  parseTx,
  parseTxObj,
  satoshis,
  serializeTx,
  toHex,
  txParts,
  type Utxo,
} from '../../../chain/index.ts';

/** An unsigned transaction of the token service that has been read. Reading takes long where it carries large files. */
export class ReadTransaction {
  readonly parsed: ParsedTxObj;
  /** Its bytes, where it was read from them. */
  readonly raw: Uint8Array | undefined;

  constructor(parsed: ParsedTxObj, raw?: Uint8Array) {
    this.parsed = parsed;
    this.raw = raw;
  }
}

/** What the service said besides the transaction itself, ahead of its bytes. */
interface Claims {
  spent: { satoshis: number; script: string }[];
  hash?: string | undefined;
  changeIndex?: number | undefined;
}

const LENGTH_BYTES = 4;

/**
 * How the journal keeps a `txObj`, or a transaction that was built here: as bytes, which are half as long as JSON, or as JSON if it cannot be read as
 * a transaction. A review reports that then.
 * @returns what to store, and what a review takes
 */
export function packed(txObj: unknown): { stored: string | Uint8Array; read: unknown } {
  try {
    const stored = packedBytes(readTransaction(txObj));
    // its scripts are parts of those bytes, so the hex of the reply is not kept in memory
    return { stored, read: unpacked(stored) };
  } catch {
    return { stored: JSON.stringify(txObj), read: txObj };
  }
}

function packedBytes({ tx, spent, hash, changeIndex }: ParsedTxObj): Uint8Array {
  const claims: Claims = {
    spent: spent.map((utxo) => ({ satoshis: utxo.satoshis, script: toHex(utxo.lockingScript) })),
    hash,
    changeIndex,
  };
  const head = Buffer.from(JSON.stringify(claims));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...txParts(tx)]);
}

/** What a review takes, from what {@link packed} stored or, as JSON, an earlier version did. */
export function unpacked(stored: string | Uint8Array): unknown {
  if (typeof stored === 'string') return JSON.parse(stored);
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const end = LENGTH_BYTES + bytes.readUInt32BE();
  const { spent, hash, changeIndex } = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)) as Claims;
  const raw = bytes.subarray(end);
  const tx = parseTx(raw, true);
  const parsed = {
    tx,
    spent: tx.inputs.map(({ txid, vout }, i): Utxo => {
      const { satoshis: amount, script } = spent[i] as Claims['spent'][number];
      return { txid, vout, satoshis: satoshis(amount), lockingScript: fromHex(script) };
    }),
    ...(hash === undefined ? {} : { hash }),
    ...(changeIndex === undefined ? {} : { changeIndex }),
  };
  return new ReadTransaction(parsed, raw);
}

/** @param txObj as received, or read before. @throws ChainError `txobj-malformed` */
export function readTransaction(txObj: unknown): ParsedTxObj {
  return txObj instanceof ReadTransaction ? txObj.parsed : parseTxObj(txObj);
}

/** The bytes of a transaction that was read. @param txObj as {@link readTransaction} takes it */
export function unsignedBytes(txObj: unknown): Uint8Array {
  const raw = txObj instanceof ReadTransaction ? txObj.raw : undefined;
  return raw ?? serializeTx(readTransaction(txObj).tx);
}
