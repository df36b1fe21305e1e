/** Reads the node's script and transaction test vectors. */

import {
  concatBytes,
  fromHex,
  opcodeName,
  parseTx,
  pushData,
  type Satoshis,
  satoshis,
  serializeTx,
  type Tx,
  txidOf,
  type Utxo,
} from '../index.ts';
import { readVectors } from './fixtures.ts';

/** One case: a transaction, the outputs it spends, the rules, and whether it must pass. */
export interface ScriptCase {
  readonly tx: Tx;
  readonly spent: readonly Utxo[];
  readonly flags: readonly string[];
  readonly passes: boolean;
  /** The case as written in its file. */
  readonly text: string;
}

const opcodes = new Map<string, number>([
  ['PUSHDATA1', 0x4c],
  ['PUSHDATA2', 0x4d],
  ['PUSHDATA4', 0x4e],
]);
for (let op = 0x50; op <= 0xff; op++) {
  if (op > 0x50 && op < 0x61) continue;
  const name = opcodeName(op);
  opcodes.set(name, op);
  opcodes.set(name.replace(/^OP_/, ''), op);
}

function pushNumber(value: bigint): Uint8Array {
  if (value === 0n) return Uint8Array.of(0);
  if (value >= -1n && value <= 16n) return Uint8Array.of(0x50 + Number(value));
  const bytes: number[] = [];
  for (let rest = value < 0n ? -value : value; rest > 0n; rest /= 256n) bytes.push(Number(rest % 256n));
  if ((bytes.at(-1) as number) >= 0x80) bytes.push(0);
  if (value < 0n) bytes[bytes.length - 1] = (bytes.at(-1) as number) | 0x80;
  return pushData(Uint8Array.from(bytes));
}

/** Assembles a script in the notation of the node's vectors: numbers and quoted text are pushed, 0x… is raw, names are opcodes. */
export function assemble(text: string): Uint8Array {
  const parts = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (/^-?\d+$/.test(word)) return pushNumber(BigInt(word));
      if (word.startsWith('0x')) return fromHex(word.slice(2));
      if (word.startsWith("'")) return pushData(new TextEncoder().encode(word.slice(1, -1)));
      const op = opcodes.get(word);
      if (op === undefined) throw new Error(`what is ${word}?`);
      return Uint8Array.of(op);
    });
  return concatBytes(...parts);
}

const flagsOf = (text: string): string[] => text.split(',').filter((flag) => flag !== '' && flag !== 'NONE');

/** `script_tests.json`: each script pair in the crediting and spending transactions that the node's own test builds. */
export function scriptCases(): ScriptCase[] {
  const cases: ScriptCase[] = [];
  for (const row of readVectors<(string | number[])[][]>('script_tests.json')) {
    if (row.length < 4) continue;
    const amount = Array.isArray(row[0]) ? Math.round((row[0][0] as number) * 100_000_000) : 0;
    const [version, unlocking, locking, flags, expected] = (Array.isArray(row[0]) ? row.slice(1) : row) as string[];
    const credit: Tx = {
      version: 1,
      inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script: Uint8Array.of(0, 0), sequence: 0xffffffff }],
      outputs: [{ satoshis: satoshis(amount), script: assemble(locking as string) }],
      lockTime: 0,
    };
    const txid = txidOf(serializeTx(credit));
    const tx: Tx = {
      version: Number(version),
      inputs: [{ txid, vout: 0, script: assemble(unlocking as string), sequence: 0xffffffff }],
      outputs: [{ satoshis: satoshis(amount), script: new Uint8Array() }],
      lockTime: 0,
    };
    cases.push({
      tx,
      spent: [{ txid, vout: 0, satoshis: satoshis(amount), lockingScript: assemble(locking as string) }],
      flags: flagsOf(flags as string),
      passes: expected === 'OK',
      text: JSON.stringify(row),
    });
  }
  return cases;
}

/** `tx_valid.json` or `tx_invalid.json`. `tx` is undefined for bytes that cannot be parsed as a transaction. */
export function transactionCases(file: string, passes: boolean): (Omit<ScriptCase, 'tx'> & { tx: Tx | undefined })[] {
  type Row = [[string, number, string, number?][], string, string | string[]];
  const rows = readVectors<(Row | string[])[]>(file).filter((row): row is Row => row.length >= 3);
  return rows.flatMap((row) => {
    const [outputs, hex, flagSets] = row;
    const tx = read(hex);
    const known = new Map(
      outputs.map(([txid, vout, script, amount = 0]) => [
        `${txid}_${vout >>> 0}`,
        { txid, vout: vout >>> 0, satoshis: amount as Satoshis, lockingScript: assemble(script) },
      ]),
    );
    const spent = (tx?.inputs ?? [])
      .map(({ txid, vout }) => known.get(`${txid}_${vout}`))
      .filter((utxo) => utxo !== undefined);
    return [flagSets].flat().map((flags) => ({ tx, spent, flags: flagsOf(flags), passes, text: JSON.stringify(row) }));
  });
}

function read(hex: string): Tx | undefined {
  try {
    return parseTx(fromHex(hex));
  } catch {
    return undefined;
  }
}
