import { hash160, type LazyTx, readHex, type Steps, scanSingleTx } from '../../chain/index.ts';
import type { JsonText, RpcValue } from './json.ts';
import { type AddressNetwork, isScriptHash, scriptHashAddress, scriptView, txView } from './views.ts';

const STEP_OUTPUTS = 1_024;

/** The result of `decoderawtransaction`. @throws ChainError if the text is not a transaction in hex */
export function* decodedTransaction(hex: string, network: AddressNetwork): Steps<JsonText> {
  const tx = yield* scanSingleTx(yield* readHex(hex));
  // without a chain, the node takes a transaction with a P2SH output for one before Genesis
  const beforeGenesis = yield* paysScriptHash(tx);
  return txView(tx, undefined, { network, beforeGenesis });
}

function* paysScriptHash(tx: LazyTx): Steps<boolean> {
  let count = 0;
  for (const { script } of tx.outputs()) {
    if (isScriptHash(script)) return true;
    if (++count % STEP_OUTPUTS === 0) yield '';
  }
  return false;
}

/** The result of `decodescript`. @throws ChainError if the text is not hex */
export function* decodedScript(hex: string, network: AddressNetwork): Steps<RpcValue> {
  const script = yield* readHex(hex);
  const beforeGenesis = isScriptHash(script);
  const p2sh = beforeGenesis ? undefined : scriptHashAddress(hash160(script), network);
  return scriptView(script, { network, beforeGenesis }, { p2sh });
}
