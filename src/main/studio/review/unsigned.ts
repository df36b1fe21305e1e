import {
  fromHex,
  type ParsedTxObj,
  parseTx,
  parseTxObj,
  satoshis,
  toHex,
  txParts,
  type Utxo,
} from '../../../chain/index.ts';

/** An unsigned transaction of the token service that has been read. Reading takes long where it carries large files. */
export class ReadTransaction {
  readonly parsed: ParsedTxObj;

  constructor(parsed: ParsedTxObj) {
    this.parsed = parsed;
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
 * How the journal keeps a `txObj`, or a transaction of our own making: as bytes that take half of its JSON, or as JSON where it is no transaction, which a review then says.
 * @returns what to store, and what a review takes
 */
export function packed(txObj: unknown): { stored: string | Uint8Array; read: unknown } {
  let parsed: ParsedTxObj;
  try {
    parsed = readTransaction(txObj);
  } catch {
    return { stored: JSON.stringify(txObj), read: txObj };
  }
  const { tx, spent, hash, changeIndex } = parsed;
  const claims: Claims = {
    spent: spent.map((utxo) => ({ satoshis: utxo.satoshis, script: toHex(utxo.lockingScript) })),
    hash,
    changeIndex,
  };
  const head = Buffer.from(JSON.stringify(claims));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return { stored: Buffer.concat([length, head, ...txParts(tx)]), read: new ReadTransaction(parsed) };
}

/** What a review takes, from what {@link packed} stored or, as JSON, an earlier version did. */
export function unpacked(stored: string | Uint8Array): unknown {
  if (typeof stored === 'string') return JSON.parse(stored);
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const end = LENGTH_BYTES + bytes.readUInt32BE();
  const { spent, hash, changeIndex } = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)) as Claims;
  const tx = parseTx(bytes.subarray(end), true);
  return new ReadTransaction({
    tx,
    spent: tx.inputs.map(({ txid, vout }, i): Utxo => {
      const { satoshis: amount, script } = spent[i] as Claims['spent'][number];
      return { txid, vout, satoshis: satoshis(amount), lockingScript: fromHex(script) };
    }),
    ...(hash === undefined ? {} : { hash }),
    ...(changeIndex === undefined ? {} : { changeIndex }),
  });
}

/** @param txObj as received, or read before. @throws ChainError `txobj-malformed` */
export function readTransaction(txObj: unknown): ParsedTxObj {
  return txObj instanceof ReadTransaction ? txObj.parsed : parseTxObj(txObj);
}
