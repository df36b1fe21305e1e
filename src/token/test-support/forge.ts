/** Builds correctly signed transactions that the library would refuse to build, and reports which step of the covenant rejects them. */
import { LockingScript, type PrivateKey, Spend, UnlockingScript } from '@bsv/sdk';
import {
  chronicleRules,
  concatBytes,
  encodeAddress,
  equalBytes,
  FINAL_SEQUENCE,
  hash160,
  interpretScripts,
  type Outpoint,
  p2pkhScript,
  parseScript,
  pushData,
  type ScriptRules,
  satoshis,
  sha256d,
  sighashPreimage,
  type Tx,
  type TxOutput,
  txidOf,
  type Utxo,
  verifyNatively,
} from '../../chain/index.ts';
import { digestSigner, keyBytes } from '../../chain/keys/digest-signer.ts';
import { CODE_OFFSET, type CovenantVersion, covenant } from '../covenant/covenant.ts';
import { planchetTemplate, type TokenFields, type TokenSpend } from '../covenant/template.ts';
import { publicKeyOf } from '../parameters/keys.ts';
import { keys } from './keys.ts';

export function hashOf(key: PrivateKey): Uint8Array {
  return hash160(publicKeyOf(key));
}

export function addressOf(key: PrivateKey): string {
  return encodeAddress(hashOf(key), 'test');
}

export const kind: Omit<TokenFields, 'owner'> = { redemption: hashOf(keys.issuer), splittable: true, symbol: 'CAFE' };

export function tokenScript(key: PrivateKey, version: CovenantVersion, fields: Partial<TokenFields> = {}): Uint8Array {
  return planchetTemplate(version).lock({ ...kind, owner: hashOf(key), ...fields });
}

let serial = 0;

/** An output of an unspecified transaction. */
export function output(script: Uint8Array, amount: number): Utxo {
  serial += 1;
  return {
    txid: serial.toString(16).padStart(64, 'c'),
    vout: serial % 3,
    satoshis: satoshis(amount),
    lockingScript: script,
  };
}

export function coin(key: PrivateKey, amount: number): Utxo {
  return output(p2pkhScript(hashOf(key)), amount);
}

export function out(script: Uint8Array, amount: number): TxOutput {
  return { satoshis: satoshis(amount), script };
}

export function outpoint({ txid, vout }: Outpoint): Outpoint {
  return { txid, vout };
}

export interface ForgedInput {
  readonly utxo: Utxo;
  readonly key: PrivateKey;
  /** What a token input claims about the transaction; undefined for P2PKH. */
  readonly claim?: TokenSpend;
  readonly version?: CovenantVersion;
  /** Modifies the preimage before it is pushed. */
  readonly preimage?: (preimage: Uint8Array, tx: Tx) => Uint8Array;
  /** Modifies the pushes before the preimage: the claims. */
  readonly claims?: (pushes: Uint8Array[]) => Uint8Array[];
  /** Hash type of the owner's signature. */
  readonly signedAs?: number;
}

export interface Forgery {
  readonly tx: Tx;
  readonly spent: readonly Utxo[];
}

export function forge(
  inputs: readonly ForgedInput[],
  outputs: readonly TxOutput[],
  lockTime = 0,
  version = 1,
): Forgery {
  const unsigned: Tx = {
    version,
    inputs: inputs.map(({ utxo: { txid, vout } }) => ({
      txid,
      vout,
      script: new Uint8Array(0),
      sequence: FINAL_SEQUENCE,
    })),
    outputs,
    lockTime,
  };
  const tx = {
    ...unsigned,
    inputs: unsigned.inputs.map((input, index) => ({
      ...input,
      script: unlockForged(unsigned, index, inputs[index] as ForgedInput),
    })),
  };
  return { tx, spent: inputs.map(({ utxo }) => utxo) };
}

function unlockForged(tx: Tx, index: number, input: ForgedInput): Uint8Array {
  const { utxo, key, claim, version = 2, signedAs = 0x41 } = input;
  const signed = sighashPreimage(tx, index, utxo.lockingScript, utxo.satoshis, signedAs);
  // the same bytes as the SDK's signer gives, in a hundredth of its time
  const signature = concatBytes(digestSigner.sign(sha256d(signed), keyBytes(key)), Uint8Array.of(signedAs));
  const end = concatBytes(pushData(signature), pushData(publicKeyOf(key)));
  if (claim === undefined) return end;
  const honest = sighashPreimage(tx, index, utxo.lockingScript, utxo.satoshis, 0x41);
  const preimage = input.preimage?.(honest, tx) ?? honest;
  const whole = planchetTemplate(version).unlock(utxo.lockingScript, claim, preimage);
  return concatBytes(input.claims ? changePushes(whole, input.claims) : whole, end);
}

function changePushes(script: Uint8Array, change: (pushes: Uint8Array[]) => Uint8Array[]): Uint8Array {
  const { chunks } = parseScript(script);
  const pushes = chunks.map(({ offset }, index) => script.subarray(offset, chunks[index + 1]?.offset ?? script.length));
  return concatBytes(...change(pushes.slice(0, -1)), pushes.at(-1) as Uint8Array);
}

export type Refusal =
  | { readonly ok: true }
  /** `step`: the step of the covenant that rejects it; `P2PKH` for the owner part, `unlocking` for a script that cannot run. */
  | { readonly ok: false; readonly input: number; readonly step: string; readonly reason: string };

const CONSENSUS = [
  'GENESIS',
  'UTXO_AFTER_GENESIS',
  'STRICTENC',
  'DERSIG',
  'LOW_S',
  'NULLFAIL',
  'SIGHASH_FORKID',
  'SIGPUSHONLY',
];
/** Additional rules that nodes require for relay. */
export const POLICY = [
  ...CONSENSUS,
  'MINIMALDATA',
  'CLEANSTACK',
  'NULLDUMMY',
  'MINIMALIF',
  'DISCOURAGE_UPGRADABLE_NOPS',
];

/** Whether all scripts succeed under the rules before Chronicle, or today's. */
export function holds({ tx, spent }: Forgery, rules: ScriptRules = chronicleRules): boolean {
  const confirm = verifyNatively;
  return interpretScripts(tx, spent, { rules, ...(confirm ? { confirm } : {}) }).ok;
}

/** A Spend of one input, ready to run. */
export function spendOf({ tx, spent }: Forgery, index: number, flags: readonly string[] = CONSENSUS): Spend {
  const inputs = tx.inputs.map(({ txid, vout, sequence }) => ({ sourceTXID: txid, sourceOutputIndex: vout, sequence }));
  const input = tx.inputs[index] as Tx['inputs'][number];
  const source = spent[index] as Utxo;
  return new Spend({
    sourceTXID: input.txid,
    sourceOutputIndex: input.vout,
    sourceSatoshis: source.satoshis,
    lockingScript: new LockingScript([], source.lockingScript, undefined, false),
    unlockingScript: new UnlockingScript([], input.script, undefined, false),
    inputSequence: input.sequence,
    inputIndex: index,
    otherInputs: inputs.filter((_, at) => at !== index),
    outputs: tx.outputs.map(({ satoshis, script }) => ({
      satoshis,
      lockingScript: new LockingScript([], script, undefined, false),
    })),
    transactionVersion: tx.version,
    lockTime: tx.lockTime,
    verifyFlags: [...flags],
  });
}

/** Runs all scripts and returns the first step that rejects. */
export function judge(forgery: Forgery, flags: readonly string[] = CONSENSUS): Refusal {
  for (const index of forgery.tx.inputs.keys()) {
    const refusal = judgeInput(forgery, index, flags);
    if (!refusal.ok) return refusal;
  }
  return { ok: true };
}

export function judgeInput(
  forgery: Forgery,
  index: number,
  flags: readonly string[] = CONSENSUS,
  spend: Spend = spendOf(forgery, index, flags),
): Refusal {
  const script = (forgery.spent[index] as Utxo).lockingScript;
  try {
    if (spend.validate()) return { ok: true };
    return { ok: false, input: index, step: 'result', reason: 'the scripts leave false' };
  } catch (error) {
    const { context, programCounter, message } = error as Error & { context?: string; programCounter?: number };
    const reason = message.split('\n')[0] ?? '';
    const step = context === 'LockingScript' ? stepAt(script, programCounter ?? 0) : 'unlocking';
    return { ok: false, input: index, step, reason };
  }
}

function stepAt(script: Uint8Array, chunk: number): string {
  const version = ([1, 2] as const).find((v) => {
    const { code } = covenant(v);
    return equalBytes(script.subarray(CODE_OFFSET, CODE_OFFSET + code.length), code);
  });
  const offset = parseScript(script).chunks[chunk]?.offset ?? script.length;
  if (version === undefined || offset < CODE_OFFSET) return 'P2PKH';
  const at = offset - CODE_OFFSET;
  return covenant(version).steps.find((step) => at >= step.offset && at < step.offset + step.length)?.name ?? 'result';
}

/** The unsigned parent transaction of an output, for proofs. */
export function parentOf(
  outputs: readonly TxOutput[],
  vout: number,
  inputs: Tx['inputs'] = [parentInput()],
): { tx: Tx; utxo: Utxo } {
  serial += 1;
  const tx: Tx = { version: 1, inputs, outputs, lockTime: serial };
  const { satoshis, script } = outputs[vout] as TxOutput;
  return { tx, utxo: { txid: txidOf(tx), vout, satoshis, lockingScript: script } };
}

export function parentInput(script: Uint8Array = new Uint8Array(107).fill(0x51)): Tx['inputs'][number] {
  serial += 1;
  return { txid: serial.toString(16).padStart(64, 'd'), vout: 0, script, sequence: FINAL_SEQUENCE };
}
