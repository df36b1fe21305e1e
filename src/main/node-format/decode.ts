import { hash160, readHex, type Steps, type WalkedTx, walkWholeTx } from '../../chain/index.ts';
import type { JsonText, RpcValue } from './json.ts';
import { type AddressNetwork, isScriptHash, scriptHashAddress, scriptView, txView } from './views.ts';

/** Outputs looked at in one step. */
const STEP_OUTPUTS = 1_024;

/** What `decoderawtransaction` answers. @throws ChainError where the text is no transaction in hex */
export function* decodedTransaction(hex: string, network: AddressNetwork): Steps<JsonText> {
  const tx = yield* walkWholeTx(yield* readHex(hex));
  // without a chain to look at, the node takes a P2SH output for a sign of old times
  const beforeGenesis = yield* paysScriptHash(tx);
  return txView(tx, undefined, { network, beforeGenesis });
}

function* paysScriptHash(tx: WalkedTx): Steps<boolean> {
  let count = 0;
  for (const { script } of tx.outputs()) {
    if (isScriptHash(script)) return true;
    if (++count % STEP_OUTPUTS === 0) yield '';
  }
  return false;
}

/** What `decodescript` answers. @throws ChainError where the text is no hex */
export function* decodedScript(hex: string, network: AddressNetwork): Steps<RpcValue> {
  const script = yield* readHex(hex);
  const beforeGenesis = isScriptHash(script);
  const p2sh = beforeGenesis ? undefined : scriptHashAddress(hash160(script), network);
  return scriptView(script, { network, beforeGenesis }, { p2sh });
}
