import { createHash } from 'node:crypto';
import { request as httpRequest, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { basic, startBefore } from '../test-support/gateway.ts';
import type { Answer } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const start = (answer: Answer) => startBefore(open, answer);

/** Waits until a count stands still for many turns of the event loop. */
async function stands(count: () => number): Promise<number> {
  let last = count();
  for (let turns = 0; turns < 100; turns++) {
    await setTimeout(1);
    if (count() !== last) turns = 0;
    last = count();
  }
  return last;
}

describe('a large answer', () => {
  const post = { host: '127.0.0.1', method: 'POST', headers: { authorization: basic('planchet:secret') } };

  /** `size` bytes of result in pieces, and the SHA-256 of the whole answer for the id 77. */
  function large(size: number): { answer: Answer; digest: Promise<string>; sent: () => number } {
    let total = 0;
    let tell: (digest: string) => void = () => {};
    const digest = new Promise<string>((resolve) => {
      tell = resolve;
    });
    const piece = 'ab'.repeat(32_768);
    const answer: Answer = async ({ id: requestId }, response) => {
      const hash = createHash('sha256');
      const write = async (text: string, shown = text): Promise<void> => {
        hash.update(shown);
        total += text.length;
        if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
      };
      await write('{"result":"');
      for (let sent = 0; sent < size; sent += piece.length) await write(piece);
      const end = `","error":null,"id":${requestId}}`;
      await write(end, end.replace(requestId, '77'));
      response.end();
      tell(hash.digest('hex'));
    };
    return { answer, digest, sent: () => total };
  }

  it('is streamed unchanged except for the id, no faster than the client reads it', async () => {
    const { answer, digest, sent } = large(64 * 1024 * 1024);
    const { gateway } = await start(answer);
    const hash = createHash('sha256');
    await new Promise<void>((resolve, reject) => {
      const request = httpRequest({ ...post, port: gateway.port }, (response) => {
        // The client does not read before nothing moves: then all buffers between it and the upstream are full.
        const reading = stands(sent).then((held) => {
          expect(held).toBeLessThan(32 * 1024 * 1024);
          response.on('data', (piece: Buffer) => hash.update(piece));
        });
        reading.catch(reject);
        response.on('end', resolve);
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end('{"method":"getblock","params":["00",0],"id":77}');
    });
    expect(hash.digest('hex')).toBe(await digest);
    expect(sent()).toBeGreaterThan(64 * 1024 * 1024);
  });

  it('gets the client’s id even if the id is split between two pieces or comes first', async () => {
    const filler = `"${'cd'.repeat(200_000)}"`;
    for (const cut of [1, 10, 40]) {
      const { rpc } = await start(({ id }, response) => {
        response.write(`{"result":${filler},"error":null,"id":${id.slice(0, cut)}`);
        setTimeout(20).then(() => response.end(`${id.slice(cut)}}\n`));
      });
      expect((await rpc('{"method":"getrawmempool","id":"me"}')).text).toBe(
        `{"result":${filler},"error":null,"id":"me"}\n`,
      );
    }
    const { rpc } = await start(({ id }, response) => response.end(`{"id":${id},"result":${filler}}`));
    expect((await rpc('{"method":"getrawmempool","id":5}')).text).toBe(`{"id":5,"result":${filler}}`);
  });

  it('keeps its place in a batch, between short answers as well as first and last', async () => {
    const filler = 'cd'.repeat(200_000);
    const { rpc } = await start(({ id, method }, response) => {
      response.end(`{"result":"${method === 'getblock' ? filler : 'é'}","error":null,"id":${id}}\n`);
    });
    for (const order of ['ls', 'sl', 'll', 'sls', 'lsl', 'sslls']) {
      const calls = [...order].map((size, id) =>
        size === 'l' ? `{"id":${id},"method":"getblock","params":["${id}",0]}` : `{"id":${id},"method":"getinfo"}`,
      );
      const results = [...order].map((size, id) => ({ result: size === 'l' ? filler : 'é', error: null, id }));
      expect(JSON.parse((await rpc(`[${calls.join(',')}]`)).text)).toEqual(results);
    }
  });

  it('ends in a closed connection, not as complete, if the upstream stops early', async () => {
    const { rpc } = await start((_request, response) => {
      response.write(`{"result":"${'ab'.repeat(300_000)}`);
      setTimeout(20).then(() => response.destroy());
    });
    await expect(rpc('{"method":"getblock","params":["00",0],"id":1}')).rejects.toThrow();
    const half = await start((_request, response) => response.end(`{"result":"${'ab'.repeat(300_000)}`));
    await expect(half.rpc('{"method":"getblock","params":["00",0],"id":1}')).rejects.toThrow();
  });

  it('is not read further after the client has left', async () => {
    let closed: () => void = () => {};
    const upstreamClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const answer: Answer = (_request, response) => {
      response.on('close', closed);
      response.write(`{"result":"${'ab'.repeat(300_000)}`);
    };
    // a time that does not run out in this test
    const { gateway } = await startBefore(open, answer, { settings: { bitcoinTimeout: '10m' } });
    const request = httpRequest({ ...post, port: gateway.port });
    request.on('error', () => {});
    request.on('response', () => request.destroy());
    request.end('{"method":"getblock","params":["00",0],"id":1}');
    await upstreamClosed;
  });

  it('is let go of if its caller has left, although another one asks for the same', async () => {
    const asked: { id: string; response: ServerResponse }[] = [];
    const joined = Promise.withResolvers<void>();
    const answer: Answer = ({ id, method }, response) => {
      if (method === 'getblock') return void asked.push({ id, response });
      joined.resolve();
      response.end(`{"result":1,"error":null,"id":${id}}`);
    };
    const { gateway, rpc } = await startBefore(open, answer, { settings: { bitcoinTimeout: '10m' } });
    const connections = async () => (await gateway.service.status()).connections;
    const call = '{"method":"getblock","params":["00",0],"id":1}';
    const leaving = httpRequest({ ...post, port: gateway.port });
    leaving.on('error', () => {});
    leaving.end(`[${call}]`);
    await expect.poll(() => asked.length).toBe(1);
    // once the second call of this batch has arrived, its first one has joined that of the other caller
    const other = rpc(`[${call},{"method":"getinfo","id":2}]`);
    await joined.promise;
    expect(asked).toHaveLength(1);
    leaving.destroy();
    await expect.poll(connections).toBe(1);
    const [first] = asked;
    const closed = new Promise((resolve) => first?.response.once('close', resolve));
    first?.response.write(`{"result":"${'ab'.repeat(2_000_000)}`);
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.response.end(`{"result":"${'ab'.repeat(300_000)}","error":null,"id":${asked[1].id}}`);
    expect((await other).status).toBe(200);
    await closed;
  });
});
