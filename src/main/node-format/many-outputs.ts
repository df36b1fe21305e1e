import { classifyScript, type Satoshis, toHex } from '../../chain/index.ts';
import { amount, type RpcValue } from './json.ts';
import { asObject, asString, failure, optionalBoolean, requireTypes } from './params.ts';
import type { RpcObject } from './views.ts';

/** An unspent output. */
interface ShownOutput {
  readonly script: Uint8Array;
  readonly satoshis: Satoshis;
  /** 0 in the mempool. */
  readonly confirmations: number;
}

const fieldViews = {
  scriptPubKey: ({ script }: ShownOutput): RpcValue => toHex(script),
  scriptPubKeyLen: ({ script }: ShownOutput) => script.length,
  value: ({ satoshis }: ShownOutput) => amount(satoshis),
  isStandard: ({ script }: ShownOutput) => classifyScript(script).type !== 'nonstandard',
  confirmations: ({ confirmations }: ShownOutput) => confirmations,
};
type OutputField = keyof typeof fieldViews;
const outputFields = Object.keys(fieldViews) as OutputField[];

/** Parameters of `gettxouts`. */
export interface ManyOutputs {
  readonly outpoints: readonly { readonly txid: string; readonly vout: number }[];
  readonly fields: readonly OutputField[];
  readonly withMempool: boolean;
}

/** @throws NodeRpcError -1, -3, -32602 */
export function readManyOutputs(params: readonly unknown[]): ManyOutputs {
  const [wanted, fields, includeMempool] = params;
  requireTypes(params, 'array', 'array');
  const withMempool = optionalBoolean(includeMempool, true);
  const shown = returnFields(fields);
  return { outpoints: (wanted as readonly unknown[]).map(wantedOutpoint), fields: shown, withMempool };
}

/** Writes the items of the answer to `gettxouts`, in order. */
export class OutputItems {
  readonly #fields: readonly OutputField[];
  readonly #spendersShown = new Set<string>();
  readonly #items: RpcObject[] = [];

  constructor({ fields }: ManyOutputs) {
    this.#fields = fields;
  }

  unspent(output: ShownOutput): void {
    this.#items.push(Object.fromEntries(this.#fields.map((field) => [field, fieldViews[field](output)])));
  }

  missing(): void {
    this.#items.push({ error: 'missing' });
  }

  /** An output that a mempool transaction spends. */
  spent({ txid, raw }: { readonly txid: string; readonly raw: Uint8Array }): void {
    // identical bytes need not be sent twice
    const hex = this.#spendersShown.has(txid) ? undefined : toHex(raw);
    this.#spendersShown.add(txid);
    this.#items.push({ error: 'spent', collidedWith: { txid, size: raw.length, hex } });
  }

  answer(): RpcValue {
    return { txouts: this.#items };
  }
}

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
