import { request } from 'node:http';
import { PrivateKey } from '@bsv/sdk';
import sodium from 'libsodium-wrappers';
import { afterEach, describe, expect, it } from 'vitest';
import { bumpOfPath, readTscJson, toHex, txidOf } from '../../../chain/index.ts';
import { proofIn } from '../../chain-data/test-support/header-list.ts';
import { heldBy } from '../../test-support/held.ts';
import { protocols } from '../protocols/protocols.ts';
import {
  anyTx,
  enveloped,
  MINER_KEY,
  message,
  miners,
  post,
  proofMessage,
  ReceiverHarness,
  type ReceiverOptions,
  status,
  TestSecrets,
} from './test-support/receiver-harness.ts';

const opened: ReceiverHarness[] = [];
afterEach(async () => {
  for (const harness of opened.splice(0)) await harness.close();
});
async function open(options: ReceiverOptions = {}): Promise<ReceiverHarness> {
  const harness = await ReceiverHarness.open(options);
  opened.push(harness);
  return harness;
}

/** Waits until callbacks left so many lines in the history of a transaction. */
async function toldTimes(harness: ReceiverHarness, txid: string, count: number) {
  await expect.poll(() => harness.told(txid)).toHaveLength(count);
  return harness.told(txid);
}

describe('a callback of a merchant API', () => {
  it.each([
    ['in a signed envelope', (content: Record<string, unknown>) => enveloped(content), 'valid'],
    ['in an envelope without a signature', (content: Record<string, unknown>) => enveloped(content, null), 'unsigned'],
    ['without an envelope', (content: Record<string, unknown>) => JSON.stringify(content), 'unsigned'],
  ] as const)('%s is recorded', async (_, wrap, signature) => {
    const harness = await open();
    const txid = await harness.track(anyTx(1));
    expect(await post(harness.expected('mapi'), wrap(proofMessage(txid)))).toBe(200);
    const [event] = await toldTimes(harness, txid, 1);
    expect(event).toMatchObject({ signature, answer: { minerId: 'merchant', status: 'merkleProof' } });
    // the word of a miner alone makes nothing mined
    expect(await harness.transactions.find(txid)).toMatchObject({ state: 'submitted', block: null });
  });

  it.each([
    ['in capitals', (key: string) => key.toUpperCase()],
    ['uncompressed', () => toHex(Uint8Array.from(MINER_KEY.toPublicKey().encode(false) as number[]))],
  ])('is recorded if the key of the miner is written %s, in the envelope or as the miner’s id', async (_, write) => {
    const harness = await open();
    const txid = await harness.track(anyTx(1));
    const content = proofMessage(txid);
    const { publicKey, ...envelope } = JSON.parse(enveloped(content));
    const named = { ...message(txid, 'doubleSpend', { doubleSpendTxId: '12'.repeat(32) }), minerId: write(publicKey) };
    const bodies = [JSON.stringify({ ...envelope, publicKey: write(publicKey) }), enveloped(named)];
    for (const body of bodies) expect(await post(harness.expected('mapi'), body)).toBe(200);
    const events = await toldTimes(harness, txid, 2);
    expect(events.map(({ signature }) => signature)).toEqual(['valid', 'valid']);
  });

  it('is recorded with its payload as text or as an object, and whatever the case of its reason', async () => {
    const harness = await open();
    const txid = await harness.track(anyTx(1));
    const other = anyTx(2);
    const payload = { doubleSpendTxId: txidOf(other), payload: toHex(other) };
    await post(harness.expected('mapi'), enveloped(message(txid, 'DoubleSpendAttempt', JSON.stringify(payload))));
    await post(harness.expected('mapi'), enveloped(message(txid, 'doubleSpend', payload)));
    const events = await toldTimes(harness, txid, 2);
    expect(events.map(({ answer }) => answer?.status)).toEqual(['doubleSpendAttempt', 'doubleSpend']);
  });

  it('is recorded once, however often it is sent', async () => {
    const harness = await open();
    const txid = await harness.track(anyTx(1));
    const expected = harness.expected('mapi');
    const again = { ...proofMessage(txid), timestamp: '2027-01-01T00:00:00Z' };
    for (const content of [proofMessage(txid), again, proofMessage(txid)])
      expect(await post(expected, enveloped(content))).toBe(200);
    const other = await harness.track(anyTx(3));
    expect(await post(expected, enveloped(proofMessage(other)))).toBe(200);
    await toldTimes(harness, other, 1);
    expect(await harness.told(txid)).toHaveLength(1);
  });

  it('is opened if it was encrypted with the key that a miner elsewhere was given', async () => {
    const harness = await open({ settings: { callbackPublicUrl: 'https://callbacks.example' } });
    const txid = await harness.track(anyTx(1));
    const given = harness.expected('mapi');
    const expected = { ...given, url: given.url.replace('https://callbacks.example', harness.address ?? '') };
    await sodium.ready;
    const key = Buffer.from(expected.encryption?.split(' ')[2] ?? '', 'base64');
    const sealed = sodium.crypto_box_seal(enveloped(proofMessage(txid)), key);
    const bytes = { 'content-type': 'application/octet-stream' };
    const altered = sealed.slice();
    altered[40] = (altered[40] as number) ^ 1;
    expect(await post(expected, altered, bytes)).toBe(400);
    expect(await post(expected, sealed, bytes)).toBe(200);
    expect(await toldTimes(harness, txid, 1)).toMatchObject([{ signature: 'valid' }]);
  });

  it('is not to be encrypted where it does not leave this machine', async () => {
    const harness = await open();
    expect(harness.expected('mapi')).not.toHaveProperty('encryption');
  });

  it('is recorded with others that come at once, but for those that were altered', async () => {
    const harness = await open();
    const expected = harness.expected('mapi');
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const txids = await Promise.all(numbers.map((n) => harness.track(anyTx(n))));
    const bodies = txids.map((txid, n) => {
      const body = enveloped(proofMessage(txid));
      return n % 4 === 1 ? body.replace('blockHeight\\":5', 'blockHeight\\":6') : body;
    });
    const codes = await Promise.all(bodies.map((body) => post(expected, body)));
    expect(codes).toEqual(numbers.map((n) => (n % 4 === 1 ? 400 : 200)));
    for (const [n, txid] of txids.entries()) if (n % 4 !== 1) await toldTimes(harness, txid, 1);
    for (const [n, txid] of txids.entries()) if (n % 4 === 1) expect(await harness.told(txid)).toEqual([]);
  });

  it('is refused with 400 if it is signed with another key, altered, or no callback', async () => {
    const harness = await open();
    const txid = await harness.track(anyTx(1));
    const expected = harness.expected('mapi');
    const other = PrivateKey.fromHex('66'.repeat(32));
    const theirs = { ...proofMessage(txid), minerId: other.toPublicKey().toString() };
    const bodies = [
      enveloped(theirs, other),
      enveloped(proofMessage(txid), other),
      enveloped(proofMessage(txid)).replace('blockHeight\\":5', 'blockHeight\\":6'),
      enveloped(message(txid, 'somethingElse', {})),
      enveloped(message(txid, 'doubleSpend', { doubleSpendTxId: txid })),
      enveloped(message('zz', 'merkleProof', {})),
      JSON.stringify(status(txid, 'MINED')),
      '{"callbackPayload":',
      '',
      'null',
      '[]',
    ];
    expect(await Promise.all(bodies.map((body) => post(expected, body)))).toEqual(bodies.map(() => 400));
    expect(await harness.told(txid)).toEqual([]);
  });
});

describe('a callback of ARC', () => {
  it('is recorded, alone or with others', async () => {
    const harness = await open();
    const [first, second] = [await harness.track(anyTx(1)), await harness.track(anyTx(2))];
    const expected = harness.expected('arc');
    const bearer = { ...expected, token: `Bearer ${expected.token}` };
    expect(await post(bearer, JSON.stringify(status(first, 'SEEN_ON_NETWORK')))).toBe(200);
    const callbacks = [status(first, 'MINED'), status(second, 'SEEN_ON_NETWORK'), status(second, 'REJECTED')];
    expect(await post(bearer, JSON.stringify({ count: 3, callbacks }))).toBe(200);
    const words = async (txid: string, count: number) =>
      (await toldTimes(harness, txid, count)).map(({ answer }) => answer?.status);
    expect(await words(first, 2)).toEqual(['SEEN_ON_NETWORK', 'MINED']);
    expect(await words(second, 2)).toEqual(['SEEN_ON_NETWORK', 'REJECTED']);
    expect(await harness.transactions.find(first)).toMatchObject({ state: 'seen', block: null });
  });

  it('is refused with 400 if one of its statuses is none', async () => {
    const harness = await open();
    const txid = await harness.track(anyTx(1));
    const expected = harness.expected('arc');
    for (const callbacks of [[], [status(txid, 'MINED'), {}], [status(txid, 'SOMETHING')], [status('', 'MINED')]])
      expect(await post(expected, JSON.stringify({ callbacks }))).toBe(400);
    expect(await post(expected, enveloped(proofMessage(txid)))).toBe(400);
    expect(await harness.told(txid)).toEqual([]);
  });
});

describe('a proof in a callback', () => {
  const txids = [1, 2, 3, 4, 5].map((n) => txidOf(anyTx(n)));

  it('makes a transaction proven if it leads to a header of the active chain, whichever API sent it', async () => {
    const harness = await open();
    const [first, second] = [await harness.track(anyTx(1)), await harness.track(anyTx(2))];
    const block = harness.headers.mine(txids);
    const place = { blockHash: block.hash, blockHeight: block.height };
    const proof = proofIn(block, txids, 0);
    await post(harness.expected('mapi'), enveloped(message(first, 'merkleProof', JSON.stringify(proof), place)));
    const merklePath = toHex(bumpOfPath(block.height, readTscJson(proofIn(block, txids, 1)).path));
    await post(harness.expected('arc'), JSON.stringify(status(second, 'MINED', { ...place, merklePath })));
    for (const txid of [first, second]) {
      await expect.poll(async () => (await harness.transactions.find(txid))?.state).toBe('proven');
      expect(await harness.transactions.get({ txid })).toMatchObject({ proof: { blockHash: block.hash, height: 0 } });
    }
  });

  it('is not believed if it leads to no such header, and the history says why', async () => {
    const harness = await open();
    const [first, second] = [await harness.track(anyTx(1)), await harness.track(anyTx(2))];
    const block = harness.headers.mine(txids);
    const place = { blockHash: block.hash, blockHeight: block.height };
    const of2 = proofIn(block, txids, 1);
    const wrong = { ...of2, nodes: of2.nodes.map(() => 'ab'.repeat(32)) };
    await post(harness.expected('mapi'), enveloped(message(first, 'merkleProof', of2, place)));
    await post(harness.expected('mapi'), enveloped(message(second, 'merkleProof', wrong, place)));
    for (const txid of [first, second]) {
      const texts = async () => (await harness.transactions.get({ txid })).events.map(({ text }) => text);
      await expect.poll(texts).toContainEqual(expect.stringContaining('was not accepted'));
      expect(await harness.transactions.find(txid)).toMatchObject({ state: 'submitted', block: null });
    }
  });
});

describe('the receiver of callbacks', () => {
  it('answers 401 to a token that does not belong to its path', async () => {
    const harness = await open();
    const [one, other] = [harness.expected('mapi'), harness.expected('mapi')];
    const body = enveloped(proofMessage('ab'.repeat(32)));
    expect(one.url).not.toBe(other.url);
    expect(one.token).not.toBe(other.token);
    const wrong = [
      { ...one, token: other.token },
      { ...one, token: '' },
      { ...one, url: `${one.url}x` },
      { ...one, url: `${harness.address}/` },
      { ...one, url: one.url.replace(/\.[^.]*(\.\d+)$/, `.${Buffer.from('arc').toString('base64url')}$1`) },
      { ...one, url: one.url.replace(/\d+$/, (period) => String(Number(period) + 1)) },
    ];
    expect(await Promise.all(wrong.map((callback) => post(callback, body)))).toEqual(wrong.map(() => 401));
    expect(await post({ ...one, url: one.url.replace(/\/([^/]*)$/, '/any/prefix/$1?x=1') }, body)).toBe(200);
  });

  it('names the same address to a merchant API whenever the same transactions are sent', async () => {
    const harness = await open();
    const [one, other] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const ask = (kind: 'mapi' | 'arc', ...txids: string[]) => harness.callbacks.expect(miners[kind], txids).callback;
    const callback = ask('mapi', one);
    expect(ask('mapi', one)).toEqual(callback);
    expect(ask('mapi', one, other)).not.toEqual(callback);
    expect(ask('mapi', other)).not.toEqual(callback);
    expect(ask('arc', one)).not.toEqual(ask('arc', one));
    expect(await post(callback as { url: string; token: string }, enveloped(proofMessage(one)))).toBe(200);
  });

  it('answers 413 to a body that is too long, and takes the next one', async () => {
    const harness = await open();
    const expected = harness.expected('mapi');
    const bytes = { 'content-type': 'application/octet-stream' };
    const long = new Uint8Array(protocols.mapi.callbacks.bounds.bytes + 49).fill(0x20);
    for (const headers of [{}, bytes]) expect(await post(expected, long, headers)).toBe(413);
    // without a length that it names beforehand
    expect(await post(expected, long, bytes, true)).toBe(413);
    expect(await post(harness.expected('arc'), long.subarray(0, protocols.arc.callbacks.bounds.bytes + 1))).toBe(413);
    expect(await post(expected, enveloped(proofMessage('ab'.repeat(32))))).toBe(200);
  });

  it.each(['mapi', 'arc'] as const)(
    'refuses what has more values or levels than a callback of %s at once',
    async (kind) => {
      const harness = await open();
      const expected = harness.expected(kind);
      const { bytes } = protocols[kind].callbacks.bounds;
      const inside = (text: string) => JSON.stringify({ payload: text });
      const full = (text: string, end = '') => text.repeat((bytes - 64) / text.length - 1) + end;
      const bodies = [full('['), full('[],', '0]'), `[${full('[],', '0]')}`, `{"callbacks":[${full('{},', '{}]}')}`];
      const wrapped = [inside('['.repeat(300_000)), inside(`[${'[],'.repeat(300_000)}0]`)];
      const codes: number[] = [];
      const held = await heldBy(async () => {
        for (const body of [...bodies, ...wrapped]) codes.push(await post(expected, body));
      });
      expect(codes).toEqual([...bodies, ...wrapped].map(() => 400));
      expect(held.milliseconds).toBeLessThan(250);
    },
  );

  it('refuses requests of web pages and under other host names', async () => {
    const harness = await open();
    const { url, token } = harness.expected('mapi');
    const send = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const call = request(url, { method: 'POST', headers: { authorization: token, ...headers } }, (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode ?? 0));
        });
        call.on('error', reject);
        call.end(enveloped(proofMessage('ab'.repeat(32))));
      });
    expect(await send({ origin: 'https://evil.example' })).toBe(403);
    expect(await send({ host: 'evil.example' })).toBe(403);
    expect(await send({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await send({})).toBe(200);
  });

  it('names its public address, with a place for the reason, and answers to the name of the proxy', async () => {
    const callbackPublicUrl = 'https://hooks.example/{callbackReason}/in/';
    const harness = await open({ network: 'main', settings: { callbackBind: '127.0.0.1:0', callbackPublicUrl } });
    const { url, token } = harness.expected('mapi');
    expect(url).toMatch(/^https:\/\/hooks\.example\/\{callbackReason\}\/in\/[\w-]{22}\.[\w-]+\.\d+$/);
    expect(harness.expected('arc').url).toMatch(/^https:\/\/hooks\.example\/status\/in\//);
    const path = new URL(url.replace('{callbackReason}', 'merkleProof')).pathname;
    const sent = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'hooks.example', authorization: token };
      const call = request(`${harness.address}${path}`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on('error', reject);
      call.end(enveloped(proofMessage('ab'.repeat(32))));
    });
    expect(sent).toBe(200);
  });

  it('listens by itself on the sandbox network alone, and expects nothing where no miner can reach it', async () => {
    expect((await open({ network: 'test' })).address).toBeUndefined();
    expect((await open({ settings: { callbackBind: 'off' } })).address).toBeUndefined();
    const hidden = await open({ network: 'main', settings: { callbackBind: '127.0.0.1:0' } });
    expect(hidden.callbacks.expect(miners.mapi)).toEqual({});
    expect(hidden.callbacks.health().warning?.hint).toContain('callbackPublicUrl');
  });

  it('takes tokens issued before a restart, and none while the vault is locked', async () => {
    const secrets = new TestSecrets();
    const harness = await open({ secrets });
    const { url, token } = harness.expected('mapi');
    const again = await open({ secrets });
    const moved = { url: url.replace(String(harness.address), String(again.address)), token };
    expect(await post(moved, enveloped(proofMessage('ab'.repeat(32))))).toBe(200);
    secrets.locked = true;
    const locked = await open({ secrets });
    expect(locked.callbacks.expect(miners.mapi)).toEqual({});
    expect(locked.callbacks.health().degraded?.message).toContain('locked');
    expect(await post({ ...moved, url: url.replace(String(harness.address), String(locked.address)) }, '{}')).toBe(401);
    secrets.locked = false;
    await expect.poll(() => locked.callbacks.health().degraded).toBeUndefined();
    expect(locked.callbacks.expect(miners.mapi)).toMatchObject({ merkleProof: true, dsCheck: true });
  });

  it('hands on after a restart what the tracker did not get, and nothing twice', async () => {
    const harness = await open();
    const txid = await harness.track(anyTx(1));
    const seen = new AbortController();
    const stream = harness.callbacks.callbacks(seen.signal);
    expect(await post(harness.expected('mapi'), enveloped(proofMessage(txid)))).toBe(200);
    expect((await stream.next()).value).toMatchObject({
      txid,
      status: 'merkleProof',
      miner: 'merchant',
      block: { height: 5 },
    });
    seen.abort();
    await harness.callbacks.stop();
    await harness.callbacks.start();
    expect(await post(harness.expected('arc'), JSON.stringify(status(txid, 'MINED')))).toBe(200);
    await toldTimes(harness, txid, 2);
  });
});
