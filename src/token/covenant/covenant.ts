import { fromHex } from '../../chain/index.ts';
import { ParameterError } from '../errors.ts';
import { Assembler, type ScriptStep } from './assembler.ts';

/** 1: no merge. 2: two tokens of the same kind can be merged. */
export type CovenantVersion = 1 | 2;

/** Maximum token outputs of one transaction: the script checks no more. */
export const MAX_TOKEN_OUTPUTS = 4;

/** How often the script's constant part may be inserted into a previous transaction: at most 2 preimages and 2 outputs contain it. */
export const MAX_PROOF_TAILS = 4;

/** Maximum inputs of a previous transaction that serves as a proof. */
export const MAX_PROOF_INPUTS = 3;

/** Maximum outputs of a previous transaction that serves as a proof: fewer than 3. */
export const MAX_PROOF_OUTPUTS = 2;

/** Bytes before the owner's hash: `DUP HASH160 push20`. */
export const OWNER_OFFSET = 3;

/** Offset of the tail, the script's constant part after the owner's hash. */
export const TAIL_OFFSET = OWNER_OFFSET + 20;

/** Offset of the code, after the owner part `… EQUALVERIFY CHECKSIG`. */
export const CODE_OFFSET = TAIL_OFFSET + 2;

/** The code of one covenant version: everything from the owner part to OP_RETURN inclusive. */
export interface Covenant {
  readonly version: CovenantVersion;
  readonly code: Uint8Array;
  /** The parts of {@link code} in order; offsets count from its start. */
  readonly steps: readonly ScriptStep[];
}

// x of the generator: the r of a signature made with the nonce 1
const GENERATOR_X = fromHex('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
// r⁻¹·G: with the private key r⁻¹ and the nonce 1 a signature's s is z + r·r⁻¹ = z + 1
const INTROSPECTION_KEY = fromHex('038ff83d8cf12121491609c4939dc11c4aa35503508fe432dc5a5c1905608b9218');
// the order of the curve as a script number: little-endian, a zero byte for the sign
const CURVE_ORDER = fromHex('414136d08c5ed2bf3ba048afe6dcaebafeffffffffffffffffffffffffffffff00');

const ZERO_BYTE = Uint8Array.of(0);
const SIGHASH_ALL_FORKID = Uint8Array.of(0x41);
const P2PKH_HEAD = fromHex('1976a914');
const P2PKH_END = fromHex('88ac');
const OUTPOINT_SIZE = 36;

const built = new Map<CovenantVersion, Covenant>();

/** The covenant of a version, assembled once and cached. @throws TokenError `parameter-invalid` @example covenant(2).code.length */
export function covenant(version: CovenantVersion): Covenant {
  if (version !== 1 && version !== 2)
    throw new ParameterError(
      'parameter-invalid',
      'version',
      'version is not 1 or 2, the versions of the token script.',
    );
  let done = built.get(version);
  if (done === undefined) {
    // the code contains the offset of the redemption hash, which depends on the code's length: hence a second pass
    const draft = assemble(version, 0x0200);
    done = assemble(version, redemptionOffset(draft.code));
    if (done.code.length !== draft.code.length)
      throw new Error('The length of the covenant depends on its own length.');
    built.set(version, done);
  }
  return done;
}

/** Offset of the redemption hash in the tail: after `EQUALVERIFY CHECKSIG`, the code and a push opcode. */
function redemptionOffset(code: Uint8Array): number {
  return CODE_OFFSET - TAIL_OFFSET + code.length + 1;
}

function assemble(version: CovenantVersion, redemptionAt: number): Covenant {
  const a = new Assembler(['preimage', 'signed']);
  const flagAt = redemptionAt + 20 + 1;

  a.step('owner', 'The owner’s signature held.', () => a.op('VERIFY'));
  a.step('authenticate', 'The given preimage belongs to this input and uses ALL with the fork id.', () =>
    authenticate(a),
  );
  a.step('dissect', 'Extracts the fields of the preimage that the rules need.', () => dissect(a));
  if (version === 2) {
    a.step('merge', 'In merge mode: the other input is a token of the same kind, and its satoshis are added.', () =>
      merge(a, flagAt),
    );
  }
  a.step('inputs', 'The transaction’s inputs are the token or tokens and at most one payment.', () => inputs(a));
  a.step('redeem', 'The first output may be P2PKH to the redemption hash.', () => redeem(a, redemptionAt));
  a.step('tokens', `Up to ${MAX_TOKEN_OUTPUTS} outputs carry this script with another owner.`, () => {
    for (let slot = 0; slot < MAX_TOKEN_OUTPUTS; slot++) tokenOutput(a);
  });
  a.step('conserve', 'The outputs hold exactly as many satoshis as the inputs.', () => {
    a.op('SWAP', 'NOT', 'VERIFY');
  });
  a.step('whole', 'An unsplittable token has a single token output.', () => whole(a, flagAt));
  a.step('change', 'At most one P2PKH change output follows, and only if there is a payment.', () => change(a));
  a.step('outputs', 'The transaction has no other outputs.', () => {
    a.op('HASH256').take('outputsHash').op('EQUAL').name('holds');
    a.op('NIP', 'NIP', 'NIP', 'RETURN');
  });
  return { version, code: a.bytes(), steps: a.steps };
}

function reverse32(a: Assembler): void {
  for (let i = 0; i < 31; i++) a.num(1).op('SPLIT');
  for (let i = 0; i < 31; i++) a.op('SWAP', 'CAT');
}

function authenticate(a: Assembler): void {
  a.op('DUP', 'HASH256');
  reverse32(a);
  // s = z + 1, or n - s if that is lower
  a.push(ZERO_BYTE).op('CAT', 'BIN2NUM', '1ADD');
  a.op('DUP').push(CURVE_ORDER).op('SWAP', 'SUB', 'MIN');
  // DER needs s big-endian in as few bytes as possible, the same length as the script number
  a.op('SIZE', 'SWAP').num(32).op('NUM2BIN').name('s');
  reverse32(a);
  a.op('OVER').num(32).op('SWAP', 'SUB', 'SPLIT', 'NIP');
  // 30 <length> 02 20 <r> 02 <length of s> <s> 41
  a.op('OVER', 'SWAP', 'CAT', 'SWAP').num(36).op('ADD').push(Uint8Array.of(0x30)).op('SWAP', 'CAT');
  a.push(Uint8Array.of(0x02, 0x20, ...GENERATOR_X, 0x02))
    .op('CAT', 'SWAP', 'CAT')
    .push(SIGHASH_ALL_FORKID)
    .op('CAT');
  a.push(INTROSPECTION_KEY).op('CHECKSIGVERIFY');
}

/** Leaves on the stack: prevoutsHash outputsHash prefix tail left outpoint. */
function dissect(a: Assembler): void {
  a.num(4).op('SPLIT', 'NIP').num(32).op('SPLIT').name('prevoutsHash', 'rest');
  a.num(32).op('SPLIT', 'NIP').num(OUTPOINT_SIZE).op('SPLIT').name('outpoint', 'rest');
  // from the end: value, sequence, hash of the outputs, lock time, hash type
  a.op('SIZE').num(52).op('SUB', 'SPLIT').name('scriptField', 'end');
  a.num(8).op('SPLIT').num(4).op('SPLIT', 'NIP').num(32).op('SPLIT', 'DROP').name('value', 'outputsHash');
  a.take('scriptField')
    .num(3 + OWNER_OFFSET)
    .op('SPLIT')
    .num(20)
    .op('SPLIT', 'NIP')
    .name('prefix', 'tail');
  // only a length in the form fd xx xx puts the owner's hash at the expected offset
  a.copy('prefix').num(1).op('SPLIT', 'DROP').push(Uint8Array.of(0xfd)).op('EQUALVERIFY');
  a.take('value').op('BIN2NUM').name('left').take('outpoint');
}

/** In merge mode, adds the other token's satoshis to `left` and sets `outpoint` to the first 72 bytes of the input list. */
function merge(a: Assembler, flagAt: number): void {
  a.argument('merging').op('IF');
  isSplittable(a, flagAt);
  a.op('VERIFY');
  a.argument('other').op('SIZE').num(OUTPOINT_SIZE).op('EQUALVERIFY');
  previousTransaction(a);
  otherAmount(a);
  a.take('left').op('ADD').name('left');
  // left, then both outpoints in transaction order
  a.op('ROT', 'ROT').argument('second').op('IF', 'SWAP').name('outpoint', 'other').op('ENDIF', 'CAT').name('outpoint');
  a.op('ENDIF');
}

/** Joins the pieces of the other token's previous transaction and compares its hash with the txid in its outpoint. */
function previousTransaction(a: Assembler): void {
  a.argument('previous');
  for (let i = 0; i < MAX_PROOF_TAILS; i++) {
    a.argument('piece').op('SIZE', '0NOTEQUAL', 'IF').copy('tail').op('SWAP', 'CAT', 'CAT').name('previous');
    a.op('ELSE', 'DROP', 'ENDIF');
  }
  a.op('DUP', 'HASH256').name('hash').copy('other').num(32).op('SPLIT').name('txid', 'vout');
  a.op('ROT', 'ROT', 'EQUALVERIFY').op('SWAP');
}

/** Parses the previous transaction from its first byte to the output that the outpoint names; leaves that output's satoshis. */
function otherAmount(a: Assembler): void {
  a.num(4).op('SPLIT', 'NIP').num(1).op('SPLIT', 'SWAP', 'BIN2NUM').name('inputCount');
  a.op('DUP')
    .num(1)
    .num(MAX_PROOF_INPUTS + 1)
    .op('WITHIN', 'VERIFY', 'SWAP')
    .name('rest');
  skipInput(a);
  for (let i = 1; i < MAX_PROOF_INPUTS; i++) {
    a.copy('inputCount').num(i).op('GREATERTHAN', 'IF');
    skipInput(a);
    a.op('ENDIF');
  }
  a.op('NIP').num(1).op('SPLIT', 'SWAP', 'BIN2NUM').name('rest', 'outputCount');
  a.op('DUP')
    .num(1)
    .num(MAX_PROOF_OUTPUTS + 1)
    .op('WITHIN', 'VERIFY');
  a.take('vout').op('BIN2NUM', 'TUCK', 'SWAP').num(0).op('SWAP', 'WITHIN', 'VERIFY').name('rest', 'vout');
  a.op('IF').num(8).op('SPLIT', 'NIP').name('rest');
  skipScript(a);
  a.op('ENDIF');
  // the output itself: any amount, this script's length and head, any owner, this script's tail
  a.num(8)
    .op('SPLIT')
    .name('amount', 'rest')
    .num(3 + OWNER_OFFSET)
    .op('SPLIT', 'SWAP');
  a.copy('prefix').op('EQUALVERIFY').num(20).op('SPLIT', 'NIP').name('rest');
  a.copy('tail').op('SIZE').name('tail', 'size').take('rest').op('SWAP', 'SPLIT', 'DROP', 'EQUALVERIFY').op('BIN2NUM');
}

function skipInput(a: Assembler): void {
  a.num(OUTPOINT_SIZE).op('SPLIT', 'NIP').name('rest');
  skipScript(a);
  a.num(4).op('SPLIT', 'NIP').name('rest');
}

/** Skips a length prefix and that many bytes. Lengths of more than two bytes are refused. */
function skipScript(a: Assembler): void {
  a.num(1).op('SPLIT', 'SWAP').name('rest', 'length');
  unsigned(a);
  a.op('DUP').num(0xfd).op('NUMEQUAL', 'IF', 'DROP').num(2).op('SPLIT', 'SWAP').name('rest', 'length');
  unsigned(a);
  a.op('ELSE', 'DUP').num(0xfd).op('LESSTHAN', 'VERIFY', 'ENDIF', 'SPLIT', 'NIP').name('rest');
}

function unsigned(a: Assembler): void {
  a.push(ZERO_BYTE).op('CAT', 'BIN2NUM').name('length');
}

/** Leaves on the stack: outputsHash prefix tail left paying. */
function inputs(a: Assembler): void {
  a.argument('payment').op('SIZE').name('payment', 'paying');
  a.op('DUP').num(OUTPOINT_SIZE).op('NUMEQUAL', 'OVER', 'NOT', 'BOOLOR', 'VERIFY');
  a.op('ROT', 'ROT', 'CAT', 'HASH256').take('prevoutsHash').op('EQUALVERIFY');
  // moved below left, so that it does not interfere with the outputs
  a.op('SWAP').name('paying', 'left');
}

/** Leaves the same items with `outs`, the outputs so far, on top. */
function redeem(a: Assembler, redemptionAt: number): void {
  a.num(0).name('outs');
  a.argument('amount').op('DUP', '0NOTEQUAL', 'IF');
  takeFromLeft(a);
  a.num(8).op('NUM2BIN').push(P2PKH_HEAD).op('CAT').copy('tail').num(redemptionAt).op('SPLIT', 'NIP').num(20);
  a.op('SPLIT', 'DROP', 'CAT').push(P2PKH_END).op('CAT', 'CAT').name('outs');
  a.op('ELSE', 'DROP', 'ENDIF');
}

function tokenOutput(a: Assembler): void {
  a.argument('amount').op('DUP', '0NOTEQUAL', 'IF');
  takeFromLeft(a);
  a.num(8).op('NUM2BIN').copy('prefix').op('CAT');
  keyHash(a);
  a.copy('tail').op('CAT', 'CAT').name('outs');
  a.op('ELSE', 'DROP', 'ENDIF');
}

/** Stack: left outs amount. Subtracts the amount, which must be positive, from `left`. */
function takeFromLeft(a: Assembler): void {
  a.op('DUP').num(0).op('GREATERTHAN', 'VERIFY');
  a.op('ROT', 'OVER', 'SUB').name('left').op('ROT', 'ROT');
}

/** Appends a key hash of exactly 20 bytes: with any other length, its bytes could be read as further outputs. */
function keyHash(a: Assembler): void {
  a.argument('keyHash').op('SIZE').num(20).op('EQUALVERIFY', 'CAT');
}

function isSplittable(a: Assembler, flagAt: number): void {
  a.copy('tail').num(flagAt).op('SPLIT', 'NIP').num(1).op('SPLIT', 'DROP').push(ZERO_BYTE).op('EQUAL');
}

/** Limits the outputs to the size of one token output, so that no second output fits. */
function whole(a: Assembler, flagAt: number): void {
  a.op('SIZE')
    .copy('tail')
    .op('SIZE', 'NIP')
    .num(8 + 3 + OWNER_OFFSET + 20)
    .op('ADD', 'LESSTHANOREQUAL');
  isSplittable(a, flagAt);
  a.op('BOOLOR', 'VERIFY');
}

function change(a: Assembler): void {
  a.argument('amount')
    .op('DUP', '0NOTEQUAL', 'IF')
    .copy('paying')
    .op('VERIFY', 'DUP')
    .num(0)
    .op('GREATERTHAN', 'VERIFY');
  a.num(8).op('NUM2BIN').push(P2PKH_HEAD).op('CAT');
  keyHash(a);
  a.push(P2PKH_END).op('CAT', 'CAT').name('outs');
  a.op('ELSE', 'DROP', 'ENDIF');
}
