import { isStrictSignature } from '../keys/signature-encoding.ts';
import { OP } from '../script/opcodes.ts';
import { ScriptCursor } from '../script/script.ts';
import { isCoinbase, type Tx } from './transaction.ts';

/** What a transaction makes of the freedoms since Chronicle; whoever reviews one should know. */
export interface ChronicleUse {
  /** Version above 1: until a block holds it, its unlocking scripts and its id can be changed by whoever passes it on. */
  readonly isMalleable: boolean;
  /** Inputs with a signature whose hash type has 0x20: it signs by the original algorithm, which does not hold the spent amount. */
  readonly originalDigest: readonly number[];
  /** Inputs whose unlocking script does more than push data. */
  readonly computing: readonly number[];
}

const CHRONICLE_FORKID = 0x60;

/** Looks through the unlocking scripts of all inputs; nothing is run. */
export function chronicleUse(tx: Tx): ChronicleUse {
  const originalDigest: number[] = [];
  const computing: number[] = [];
  const isMalleable = tx.version > 1;
  if (isCoinbase(tx)) return { isMalleable: false, originalDigest, computing };
  for (const [index, { script }] of tx.inputs.entries()) {
    let hasOriginal = false;
    let computes = false;
    const cursor = new ScriptCursor(script);
    for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
      computes ||= chunk.op > OP.SIXTEEN;
      hasOriginal ||= chunk.data !== undefined && isOriginalSignature(chunk.data);
    }
    if (hasOriginal) originalDigest.push(index);
    if (computes) computing.push(index);
  }
  return { isMalleable, originalDigest, computing };
}

function isOriginalSignature(data: Uint8Array): boolean {
  const type = data[data.length - 1] ?? 0;
  const base = type & 0x1f;
  return (type & CHRONICLE_FORKID) === CHRONICLE_FORKID && base >= 1 && base <= 3 && isStrictSignature(data);
}
