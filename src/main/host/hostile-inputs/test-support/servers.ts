import type { Surface } from '../../../test-support/hostile/readers.ts';
import { payload, tx } from './answers.ts';
import { type Attacker, bare } from './attack.ts';
import { endpoint, json, keyed, opened, rpcHeaders, sent, sentPlain, toApi, toCallback } from './target.ts';

/** Servers of ours, which anybody who reaches them can write to. */
export const servers = {
  rpc: [
    sent(() => ({ url: `${endpoint('rpc')}/`, headers: rpcHeaders() }), bare, {
      before: '{"id":1,"method":"getblock","params":',
      after: '}',
    }),
  ],
  rest: [sent(() => ({ url: `${endpoint('rpc')}/rest/getutxos.json`, headers: rpcHeaders() }), bare)],
  zmtp: [sentPlain(() => (opened.host.info().endpoints.zmq as string).replace('tcp:', 'http:'))],
  writer: [
    sent(() => ({ url: `${endpoint('writer')}/api/v1/write`, headers: keyed() }), bare),
    sent(
      () => ({
        url: `${endpoint('writer')}/api/v1/write/batch`,
        headers: { ...keyed(), 'content-type': 'application/x-ndjson' },
      }),
      bare,
    ),
  ],
  console: [
    sent(() => ({ url: `${endpoint('console')}/session`, headers: json }), bare),
    sent(toApi('wallet/backup/check'), bare),
    sent(toApi('node/call'), { before: '{"json":{"method":"decodescript","params":[', after: ']}}' }),
  ],
  sandbox: [
    sent(
      () => ({
        url: `${opened.host.info().endpoints.baseUrl}/project/create`,
        headers: { ...json, apikey: opened.host.sandboxApiKey() as string },
      }),
      bare,
    ),
    sent(() => ({ url: `${opened.host.info().endpoints.mapi}/tx`, headers: keyed() }), bare),
    sent(() => ({ url: `${endpoint('sandbox')}/rpc`, headers: json }), bare),
    sent(() => ({ url: `${endpoint('sandbox')}/woc/v1/bsv/test/txs/hex`, headers: json }), bare, {
      before: '{"txids":',
      after: '}',
    }),
    sent(() => ({ url: `${endpoint('sandbox')}/bananablocks/api/v1/tx/broadcast`, headers: json }), {
      before: '{"rawtx":"',
      after: '"}',
      quoted: true,
    }),
  ],
  callbacks: [
    sent(toCallback('mapi'), bare, payload, {
      before: `{"callbackTxId":"${tx.txid}","callbackReason":"merkleProof","callbackPayload":`,
      after: '}',
    }),
    sent(toCallback('arc'), bare, { before: '{"callbacks":', after: '}' }),
  ],
} satisfies Partial<Record<Surface, readonly Attacker[]>>;
