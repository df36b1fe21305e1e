import { createHash } from 'node:crypto';
import * as Utils from '@bsv/sdk/primitives/utils';
import {
  asmPieces,
  classifyInSteps,
  encodeAddress,
  hashToDisplay,
  hexPieces,
  isCoinbase,
  isPushOnly,
  type LazyTx,
  OP,
  runSteps,
  type Steps,
  sha256,
  type TxInput,
  toAsm,
  toHex,
  txidOf,
} from '../../chain/index.ts';
import { JsonText, jsonList, jsonPieces, quoted, type RpcValue, shortAmount } from './json.ts';

/** An object under construction; keys are written in insertion order. */
export type RpcObject = { [key: string]: RpcValue | undefined };

/** The block of a transaction, with the fields that `getrawtransaction` prints. */
export interface TxBlock {
  readonly hash: string;
  readonly details?: { readonly confirmations: number; readonly time: number; readonly height: number };
}

/** Network whose address format is used. */
export type AddressNetwork = 'main' | 'test';

export interface ScriptRules {
  readonly network: AddressNetwork;
  /** Classifies the script by the rules before Genesis, which include P2SH and the bare OP_RETURN. */
  readonly beforeGenesis: boolean;
}

/** Size in bytes from which hex, script text and hashes are generated while they are written. */
const LONG = 16_384;
const STEP_BYTES = 262_144;

/** The node's TX object (node-rpc.md, shared objects), generated while it is written. */
export function txView(tx: LazyTx, block: TxBlock | undefined, rules: ScriptRules): JsonText {
  return new JsonText(function* () {
    const txid = yield* txidInSteps(tx.raw);
    const viewOf = tx.inputCount === 1 && isCoinbase({ inputs: [...tx.inputs()] }) ? coinbaseView : inputView;
    yield* jsonPieces({
      txid,
      hash: txid,
      version: tx.version,
      size: tx.raw.length,
      locktime: tx.lockTime,
      vin: jsonList(() => tx.inputs(), viewOf),
      vout: jsonList(
        () => tx.outputs(),
        ({ satoshis, script }, n) => ({ value: shortAmount(satoshis), n, scriptPubKey: scriptView(script, rules) }),
      ),
      blockhash: block?.hash,
      confirmations: block?.details?.confirmations,
      time: block?.details?.time,
      blocktime: block?.details?.time,
      blockheight: block?.details?.height,
      hex: hexText(tx.raw),
    });
  });
}

function coinbaseView({ script, sequence }: TxInput): RpcObject {
  return { coinbase: hexText(script), sequence };
}

function inputView({ txid, vout, script, sequence }: TxInput): RpcObject {
  return { txid, vout, scriptSig: { asm: asmText(script, { scriptSig: true }), hex: hexText(script) }, sequence };
}

export function* txidInSteps(raw: Uint8Array): Steps<string> {
  if (raw.length <= LONG) return txidOf(raw);
  const hash = createHash('sha256');
  for (let at = 0; at < raw.length; at += STEP_BYTES) {
    hash.update(raw.subarray(at, at + STEP_BYTES));
    yield '';
  }
  return hashToDisplay(sha256(hash.digest()));
}

export function hexText(bytes: Uint8Array): RpcValue {
  return bytes.length <= LONG ? toHex(bytes) : quoted(() => hexPieces(bytes));
}

function asmText(script: Uint8Array, options: { scriptSig?: boolean } = {}): RpcValue {
  return script.length <= LONG ? toAsm(script, options) : quoted(() => asmPieces(script, options));
}

/** The node's SPK object. @param more members appended to its own */
export function scriptView(script: Uint8Array, rules: ScriptRules, more: RpcObject = {}): RpcValue {
  const view = function* (): Steps<RpcObject> {
    return { asm: asmText(script), hex: hexText(script), ...(yield* kindOf(script, rules)), ...more };
  };
  if (script.length <= LONG) return runSteps(view());
  return new JsonText(function* () {
    yield* jsonPieces(yield* view());
  });
}

/** The type of a script and the addresses it pays. */
function* kindOf(script: Uint8Array, { network, beforeGenesis }: ScriptRules): Steps<RpcObject> {
  if (beforeGenesis && isScriptHash(script)) {
    const addresses = [scriptHashAddress(script.subarray(2, 22), network)];
    return { reqSigs: 1, type: 'scripthash', addresses };
  }
  if (beforeGenesis && script[0] === OP.RETURN && (yield* isPushOnly(script.subarray(1)))) return { type: 'nulldata' };
  const { type, reqSigs, pubKeyHashes } = yield* classifyInSteps(script);
  const addressOf = (hash: Uint8Array): string => encodeAddress(hash, network);
  const addresses = pubKeyHashes && jsonList(() => pubKeyHashes, addressOf);
  return { reqSigs, type, addresses };
}

const P2SH_VERSION_BYTES = { main: 0x05, test: 0xc4 } as const;

/** True for P2SH: `HASH160 push20 EQUAL`. */
export function isScriptHash(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === OP.HASH160 && script[1] === 20 && script[22] === OP.EQUAL;
}

export function scriptHashAddress(hash: Uint8Array, network: AddressNetwork): string {
  return Utils.toBase58Check(Array.from(hash), [P2SH_VERSION_BYTES[network]]);
}
