import { Utils } from '@bsv/sdk';
import {
  classifyScript,
  encodeAddress,
  isCoinbase,
  OP,
  parseScript,
  serializeTx,
  type Tx,
  toAsm,
  toHex,
  txidOf,
} from '../../chain/index.ts';
import { type RpcValue, shortAmount } from './json.ts';

/** An object being built: keys are written in this order. */
export type RpcObject = { [key: string]: RpcValue | undefined };

/** The block a transaction view names, with what `getrawtransaction` tells of it. */
export interface TxBlock {
  readonly hash: string;
  readonly details?: { readonly confirmations: number; readonly time: number; readonly height: number };
}

/** Whose addresses are written. */
export type AddressNetwork = 'main' | 'test';

export interface ScriptRules {
  readonly network: AddressNetwork;
  /** Reads the script by the rules before the Genesis upgrade, which knew P2SH and the bare OP_RETURN. */
  readonly beforeGenesis: boolean;
}

/** The node's TX object (node-rpc.md, shared objects). */
export function txView(tx: Tx, block: TxBlock | undefined, rules: ScriptRules): RpcObject {
  const raw = serializeTx(tx);
  const txid = txidOf(raw);
  const coinbase = isCoinbase(tx);
  return {
    txid,
    hash: txid,
    version: tx.version,
    size: raw.length,
    locktime: tx.lockTime,
    vin: tx.inputs.map(({ txid: spent, vout, script, sequence }) =>
      coinbase
        ? { coinbase: toHex(script), sequence }
        : { txid: spent, vout, scriptSig: { asm: toAsm(script, { scriptSig: true }), hex: toHex(script) }, sequence },
    ),
    vout: tx.outputs.map(({ satoshis, script }, n) => ({
      value: shortAmount(satoshis),
      n,
      scriptPubKey: scriptView(script, rules),
    })),
    blockhash: block?.hash,
    confirmations: block?.details?.confirmations,
    time: block?.details?.time,
    blocktime: block?.details?.time,
    blockheight: block?.details?.height,
    hex: toHex(raw),
  };
}

/** The node's SPK object. */
export function scriptView(script: Uint8Array, { network, beforeGenesis }: ScriptRules): RpcObject {
  const asm = toAsm(script);
  const hex = toHex(script);
  if (beforeGenesis && isScriptHash(script)) {
    const addresses = [scriptHashAddress(script.subarray(2, 22), network)];
    return { asm, hex, reqSigs: 1, type: 'scripthash', addresses };
  }
  if (beforeGenesis && isBareReturn(script)) return { asm, hex, type: 'nulldata' };
  const { type, reqSigs, pubKeyHashes } = classifyScript(script);
  return { asm, hex, reqSigs, type, addresses: pubKeyHashes?.map((hash) => encodeAddress(hash, network)) };
}

const P2SH_VERSION_BYTES = { main: 0x05, test: 0xc4 } as const;

/** True for P2SH: `HASH160 push20 EQUAL`. */
export function isScriptHash(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === OP.HASH160 && script[1] === 20 && script[22] === OP.EQUAL;
}

/** Base58 of a script's hash. */
export function scriptHashAddress(hash: Uint8Array, network: AddressNetwork): string {
  return Utils.toBase58Check(Array.from(hash), [P2SH_VERSION_BYTES[network]]);
}

function isBareReturn(script: Uint8Array): boolean {
  if (script[0] !== OP.RETURN) return false;
  const { chunks, ok } = parseScript(script.subarray(1));
  return ok && chunks.every(({ op }) => op <= OP.SIXTEEN);
}
