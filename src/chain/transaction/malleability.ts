import { isStrictSignature } from '../keys/signature-encoding.ts';
import { OP } from '../script/opcodes.ts';
import { ScriptCursor } from '../script/script.ts';
import { isCoinbase, type Tx } from './transaction.ts';

/** Features since Chronicle that a transaction uses. A reviewer should know them. */
export interface ChronicleUse {
  /** Version above 1: until it is mined, anyone who relays it can change its unlocking scripts and therefore its id. */
  readonly isMalleable: boolean;
  /** Inputs with a signature whose hash type includes 0x20: the original digest, which does not commit to the spent amount. */
  readonly originalDigest: readonly number[];
  /** Inputs whose unlocking script does more than push data. */
  readonly computing: readonly number[];
}

const CHRONICLE_FORKID = 0x60;

/** Examines the unlocking scripts of all inputs without running them. */
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
