import {
  ByteReader,
  ByteWriter,
  type Outpoint,
  readTx,
  satoshis,
  serializeTx,
  type Tx,
  type Utxo,
} from '../../chain/index.ts';

/** One transaction of a batch: its bytes or what they say, with the outputs it spends in the order of its inputs. */
export interface BatchItem {
  readonly tx: Tx;
  readonly raw?: Uint8Array;
  readonly spent: readonly Utxo[];
}

/** Writes transactions and what they spend into one array: one buffer crosses to a thread faster than thousands of small ones. */
export function packBatch(items: readonly BatchItem[]): Uint8Array {
  const writer = new ByteWriter(items.length * 512);
  writer.varint(items.length);
  for (const { tx, raw, spent } of items) {
    writer.bytes(raw ?? serializeTx(tx));
    for (const { satoshis: value, lockingScript } of spent) {
      writer.u64le(value);
      writer.varBytes(lockingScript);
    }
  }
  return writer.done();
}

/** Reads what {@link packBatch} wrote. @throws ChainError `bytes-malformed` */
export function unpackBatch(bytes: Uint8Array): { tx: Tx; spent: Utxo[] }[] {
  const reader = new ByteReader(bytes, 'bytes-malformed', true);
  const items: { tx: Tx; spent: Utxo[] }[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const tx = readTx(reader);
    items.push({ tx, spent: tx.inputs.map((input) => readSpent(reader, input)) });
  }
  reader.end();
  return items;
}

function readSpent(reader: ByteReader, { txid, vout }: Outpoint): Utxo {
  return { txid, vout, satoshis: satoshis(reader.u64le()), lockingScript: reader.varBytes() };
}
