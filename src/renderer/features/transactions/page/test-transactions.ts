import type {
  DecodedTransaction,
  TrackedDetail,
  TransactionEvent,
  TransactionReason,
  TransactionView,
} from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { ADDRESS, tracked } from '../../../test-support/samples.ts';

// The first payment there was, in block 170 of the main chain, beside its coinbase.
export const coinbase = 'b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082';
export const payment = 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16';
export const blockHash = '00000000d1145790a8694403d4063f323d499e655c83426834d4ce2f8dd4a2ee';
export const header =
  '0100000055bd840a78798ad0da853f68974f3d183e2bd1db6a842c1feecf222a00000000ff104ccb05421ab93e63f8c3ce5c2c2e9dbb37de2764b3a3175c8166562cac7d51b96a49ffff001d283e9e70';
export const proof: NonNullable<TrackedDetail['proof']> = {
  bump: 'aa01',
  header,
  height: 170,
  blockHash,
  index: 1,
  merkleRoot: '7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff',
  path: [{ hash: payment, sibling: coinbase, siblingSide: 'left', duplicate: false }],
};

export const reason: TransactionReason = {
  code: 'fee-too-low',
  text: 'Not enough fees',
  advice: 'Pay at least what the miner asks.',
  retriedByItself: false,
};

export function event(rest: Partial<TransactionEvent>): TransactionEvent {
  return {
    at: 0,
    kind: 'state',
    state: null,
    text: '',
    sentence: null,
    answer: null,
    raw: null,
    signature: null,
    ...rest,
  };
}

export function answer(request: 'submit' | 'callback', accepted: boolean): TransactionEvent {
  return event({
    kind: request === 'callback' ? 'callback' : 'answer',
    state: accepted ? 'submitted' : 'failed',
    answer: {
      minerId: 'a',
      name: 'Taal',
      kind: 'arc',
      at: 0,
      request,
      status: accepted ? 'SEEN_ON_NETWORK' : 'REJECTED',
      accepted,
      reason: accepted ? null : reason,
    },
    raw: '{"txStatus":"<b>REJECTED</b>"}',
    signature: 'none',
  });
}

export const detail: TrackedDetail = {
  ...tracked,
  txid: payment,
  rawTx: '0100',
  events: [event({ state: 'queued' }), answer('submit', true)],
  proof: null,
};

const input = { txid: coinbase, vout: 0, satoshis: 2_000, address: ADDRESS, scriptAsm: '' };
const output = { index: 0, satoshis: 1_900, address: ADDRESS, scriptAsm: '', inscription: null, data: null };
const view = { version: 1, inputCount: 1, outputCount: 1, outputs: [output], inputs: [input], fee: 100 };
export const ours: DecodedTransaction = {
  ...view,
  txid: payment,
  format: 'raw',
  lockTime: 0,
  bytes: 200,
  dataBytes: 0,
  rawTx: '0100',
  feeRate: 500,
  inputs: [{ ...input, sequence: 0, source: 'own', inscription: null }],
  warnings: [],
  checks: [],
  state: null,
};
export const theirs: TransactionView = {
  ...view,
  txid: coinbase,
  isMalleable: false,
  originalDigest: [],
  computing: [],
  hex: '',
  size: 200,
  blockHash: null,
  blockHeight: null,
  confirmations: 0,
  outputs: [{ ...output, satoshis: 1_800 }],
};

export const notFound = (): never => {
  throw refusal({ code: 'not-found', message: 'No such transaction.' });
};
