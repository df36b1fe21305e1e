import { classifyScript, formatOutpoint, toHex } from '../../../../../chain/index.ts';
import {
  asInteger,
  asLooseHash,
  asObject,
  asString,
  failure,
  optionalBoolean,
  requireTypes,
} from '../../../../node-format/params.ts';
import type { SandboxNode } from '../../node.ts';
import type { NodeUtxo } from '../../types.ts';
import { amount, type RpcValue } from '../json.ts';
import { type RpcObject, scriptView } from '../views.ts';
import type { Commands } from './command.ts';

function confirmationsOf(node: SandboxNode, utxo: NodeUtxo): number {
  return utxo.height === null ? 0 : node.tip().height - utxo.height + 1;
}

const outputFields = ['scriptPubKey', 'scriptPubKeyLen', 'value', 'isStandard', 'confirmations'] as const;
type OutputField = (typeof outputFields)[number];

const fieldViews: Record<OutputField, (node: SandboxNode, utxo: NodeUtxo) => RpcValue> = {
  scriptPubKey: (_, { lockingScript }) => toHex(lockingScript),
  scriptPubKeyLen: (_, { lockingScript }) => lockingScript.length,
  value: (_, { satoshis }) => amount(satoshis),
  isStandard: (_, { lockingScript }) => classifyScript(lockingScript).type !== 'nonstandard',
  confirmations: confirmationsOf,
};

function returnFields(value: unknown): OutputField[] {
  const names = (value as readonly unknown[]).map((item) => {
    const name = asString(item);
    if (name !== '*' && !outputFields.includes(name as OutputField)) {
      throw failure('invalidParams', `Wrong return field: ${name}`);
    }
    return name as OutputField | '*';
  });
  if (names.length === 0) throw failure('invalidParams', 'No return fields set');
  if (!names.includes('*')) return outputFields.filter((field) => names.includes(field));
  if (names.length > 1) throw failure('invalidParams', '"*" should not be used with other return fields');
  return [...outputFields];
}

function wantedOutpoint(value: unknown): { txid: string; vout: number } {
  const item = asObject(value);
  if (Object.keys(item).length !== 2 || !('txid' in item) || !('n' in item)) {
    throw failure('invalidParams', 'Wrong format. Exactly "txid" and "n" are required fields.');
  }
  const { txid, n } = item;
  if (typeof txid !== 'string' || !/^[0-9a-fA-F]{64}$/.test(txid)) {
    throw failure('invalidParams', 'txid is in wrong format');
  }
  if (typeof n !== 'number' || !Number.isInteger(n)) throw failure('invalidParams', 'vout is not an integer');
  return { txid: txid.toLowerCase(), vout: n };
}

async function txouts(node: SandboxNode, params: readonly unknown[]): Promise<RpcValue> {
  const [wanted, fields, includeMempool] = params;
  requireTypes(params, 'array', 'array');
  const withMempool = optionalBoolean(includeMempool, true);
  const shown = returnFields(fields);
  const outpoints = (wanted as readonly unknown[]).map(wantedOutpoint);
  const spendersShown = new Set<string>();
  const items: RpcObject[] = [];
  for (const outpoint of outpoints) {
    const spender = withMempool ? node.mempool.spender(formatOutpoint(outpoint)) : undefined;
    if (spender) {
      const { txid, raw } = spender;
      // identical bytes need not be sent twice
      const hex = spendersShown.has(txid) ? undefined : toHex(raw);
      spendersShown.add(txid);
      items.push({ error: 'spent', collidedWith: { txid, size: raw.length, hex } });
      continue;
    }
    const utxo = await node.utxo(outpoint, withMempool);
    items.push(
      utxo ? Object.fromEntries(shown.map((field) => [field, fieldViews[field](node, utxo)])) : { error: 'missing' },
    );
  }
  return { txouts: items };
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
