import { formatOutpoint } from '../../../../../chain/index.ts';
import { amount, type RpcValue } from '../../../../node-format/json.ts';
import { OutputItems, readManyOutputs } from '../../../../node-format/many-outputs.ts';
import { asInteger, asLooseHash, optionalBoolean } from '../../../../node-format/params.ts';
import type { SandboxNode } from '../../node.ts';
import type { NodeUtxo } from '../../types.ts';
import { scriptView } from '../views.ts';
import type { Commands } from './command.ts';

function confirmationsOf(node: SandboxNode, utxo: NodeUtxo): number {
  return utxo.height === null ? 0 : node.tip().height - utxo.height + 1;
}

async function txouts(node: SandboxNode, params: readonly unknown[]): Promise<RpcValue> {
  const wanted = readManyOutputs(params);
  const items = new OutputItems(wanted);
  for (const outpoint of wanted.outpoints) {
    const spender = wanted.withMempool ? node.mempool.spender(formatOutpoint(outpoint)) : undefined;
    const utxo = spender === undefined ? await node.utxo(outpoint, wanted.withMempool) : undefined;
    if (spender !== undefined) items.spent(spender);
    else if (utxo === undefined) items.missing();
    else {
      const { lockingScript: script, satoshis } = utxo;
      items.unspent({ script, satoshis, confirmations: confirmationsOf(node, utxo) });
    }
  }
  return items.answer();
}

export const outputCommands: Commands = {
  gettxout: {
    run: async (node, [txid, n, includeMempool]) => {
      const outpoint = { txid: asLooseHash(txid), vout: asInteger(n) };
      const utxo = await node.utxo(outpoint, optionalBoolean(includeMempool, true));
      if (utxo === undefined) return null;
      return {
        bestblock: node.tip().hash,
        confirmations: confirmationsOf(node, utxo),
        value: amount(utxo.satoshis),
        scriptPubKey: scriptView(utxo.lockingScript),
        coinbase: utxo.coinbase,
        confiscation: false,
      };
    },
  },
  gettxouts: { streamed: true, run: txouts },
};
