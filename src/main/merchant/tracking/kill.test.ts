import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeRpcError } from '../../ports/node.ts';
import { seededRandom } from '../../test-support/seeded-random.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';

const KILLS = process.env.PLANCHET_LONG ? 200 : 1;
const PAYMENTS = 600;
const program = fileURLToPath(new URL('../test-support/follow-until-killed.ts', import.meta.url));

let tracked: TrackedNode;
let server: Server;
beforeEach(async () => {
  tracked = await TrackedNode.open();
  server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const { method, params } = JSON.parse(text) as { method: string; params: unknown[] };
    const answer = await tracked.call(method, params).then(
      (result) => ({ result }),
      (error: unknown) => ({
        error: error instanceof NodeRpcError ? { code: error.code, message: error.message } : { code: -1, message: '' },
      }),
    );
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await tracked.remove();
});

/** Follows in a process of its own, which is killed after so many new states. */
async function followedUntilKilled(states: number): Promise<void> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [program, tracked.folder, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  let seen = 0;
  for await (const piece of child.stdout) {
    seen += String(piece).split('\n').length - 1;
    if (seen >= states) child.kill('SIGKILL');
  }
  await gone;
}

describe('a process that is killed while it follows', () => {
  it(`leaves no wrong state, ${KILLS} times`, { timeout: 1_800_000 }, async () => {
    const random = seededRandom(15);
    const coins = await tracked.coins(PAYMENTS, 10_000);
    const payments = coins.map((coin) => tracked.payment(coin));
    const { node } = tracked.opened;
    await tracked.submitter.submit(payments.map(({ rawTx }) => ({ rawTx, origin: 'manual' })));
    for (let kill = 0; kill < KILLS; kill++) {
      await tracked.stop();
      // Now a block takes all of them, now a reorganisation gives all of them back.
      if (kill % 2 === 0) await node.mine(1);
      else await node.reorg(1);
      await followedUntilKilled(1 + Math.floor(random() * PAYMENTS));
      await tracked.start();
      await tracked.settle();
      const place = await node.transaction(payments[0]?.txid ?? '');
      const counts = await tracked.transactions.counts();
      expect(counts, `after ${kill + 1} kills`).toEqual({ [place?.blockHash == null ? 'seen' : 'proven']: PAYMENTS });
    }
    for (const { txid } of payments.slice(0, 50)) {
      const { state, proof, block } = await tracked.transactions.get({ txid });
      expect(proof?.blockHash).toBe(state === 'proven' ? block?.hash : undefined);
    }
  });
});
