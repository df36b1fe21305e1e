import { varintSize } from '../../chain/encoding/bytes.ts';
import { ByteReader } from '../../chain/encoding/reader.ts';
import type { Steps } from '../../chain/encoding/steps.ts';
import { ByteWriter } from '../../chain/encoding/writer.ts';
import { chronicleRules, type ScriptRules } from '../../chain/script/rules.ts';
import { satoshis } from '../../chain/transaction/amount.ts';
import type { Outpoint } from '../../chain/transaction/outpoint.ts';
import { readTx, serializeTx, type Tx, txSize } from '../../chain/transaction/transaction.ts';
import type { Utxo } from '../../chain/transaction/utxo.ts';

/** One transaction of a batch, with the outputs it spends in the order of its inputs. `raw` spares serialising it. */
export interface BatchItem {
  readonly tx: Tx;
  readonly raw?: Uint8Array;
  readonly spent: readonly Utxo[];
  /** The present rules of the network where left out. */
  readonly rules?: ScriptRules;
}

const STEP_BYTES = 131_072;

/**
 * Writes transactions and what they spend into one array, step by step: one buffer crosses to a thread faster than thousands of small
 * ones.
 */
export function* packBatch(items: readonly BatchItem[]): Steps<Uint8Array> {
  const writer = new ByteWriter(items.reduce((size, item) => size + packedSize(item), varintSize(items.length)));
  writer.varint(items.length);
  let written = 0;
  for (const { tx, raw, spent, rules = chronicleRules } of items) {
    writeRules(writer, rules);
    const bytes = raw ?? serializeTx(tx);
    writer.bytes(bytes);
    written += bytes.length;
    for (const { satoshis: value, lockingScript } of spent) {
      writer.u64le(value);
      writer.varBytes(lockingScript);
      written += 8 + lockingScript.length;
      if (written < STEP_BYTES) continue;
      yield '';
      written = 0;
    }
  }
  return writer.done();
}

/** The flags of all inputs, and those of each where they differ. */
function writeRules(writer: ByteWriter, { flags, inputFlags = [] }: ScriptRules): void {
  writer.u32le(flags);
  writer.varint(inputFlags.length);
  for (const one of inputFlags) writer.u32le(one);
}

function readRules(reader: ByteReader): ScriptRules {
  const flags = reader.u32le();
  const inputFlags = Array.from({ length: reader.varint() }, () => reader.u32le());
  return inputFlags.length === 0 ? { flags } : { flags, inputFlags };
}

function packedSize({ tx, raw, spent, rules }: BatchItem): number {
  const coins = spent.reduce((size, { lockingScript: { length } }) => size + 8 + varintSize(length) + length, 0);
  const inputFlags = rules?.inputFlags?.length ?? 0;
  return (raw?.length ?? txSize(tx)) + coins + 4 + varintSize(inputFlags) + inputFlags * 4;
}

type UnpackedItem = Required<Omit<BatchItem, 'raw'>>;

/** Reads what {@link packBatch} wrote. @throws ChainError `bytes-malformed` */
export function unpackBatch(bytes: Uint8Array): UnpackedItem[] {
  const reader = new ByteReader(bytes, 'bytes-malformed', true);
  const items: UnpackedItem[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const rules = readRules(reader);
    const tx = readTx(reader);
    items.push({ tx, rules, spent: tx.inputs.map((input) => readSpent(reader, input)) });
  }
  reader.end();
  return items;
}

function readSpent(reader: ByteReader, { txid, vout }: Outpoint): Utxo {
  return { txid, vout, satoshis: satoshis(reader.u64le()), lockingScript: reader.varBytes() };
}
