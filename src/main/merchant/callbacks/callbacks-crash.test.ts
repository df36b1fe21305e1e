import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { txidOf } from '../../../chain/index.ts';
import { seededRandom } from '../../test-support/seeded-random.ts';
import { CallbackKeys } from './callback-keys.ts';
import {
  anyTx,
  enveloped,
  miners,
  post,
  proofMessage,
  ReceiverHarness,
  status,
  TestSecrets,
} from './test-support/receiver-harness.ts';
import { StartedReceiver } from './test-support/started-receiver.ts';

const KILLS = process.env.PLANCHET_LONG ? 200 : 1;
/** Messages between two kills, and how many are on their way at once. */
const MESSAGES = 60;
const LANES = 16;

it(`a receiver killed ${KILLS} times during delivery has each message once`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-callbacks-'));
  const seed = randomBytes(32);
  const keys = CallbackKeys.of(seed);
  const random = seededRandom(5);
  const transactions = KILLS * MESSAGES;
  const options = { folder, seed: seed.toString('hex'), transactions };
  let receiver = await StartedReceiver.start({ ...options, port: 0 });
  const port = Number(new URL(receiver.url).port);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const killAfter = 1 + Math.floor(random() * (MESSAGES - LANES));
      let answered = 0;
      let restarting: Promise<void> | undefined;
      const restart = async (): Promise<void> => {
        await receiver.end('SIGKILL');
        receiver = await StartedReceiver.start({ ...options, port });
      };
      const left = Array.from({ length: MESSAGES }, (_, n) => kill * MESSAGES + n);
      const lane = async (): Promise<void> => {
        for (let n = left.shift(); n !== undefined; n = left.shift()) {
          const kind = n % 2 === 0 ? 'mapi' : 'arc';
          const txid = txidOf(anyTx(n));
          const { path, token } = keys.issue(miners[kind].id, Date.now());
          const body =
            kind === 'mapi' ? enveloped(proofMessage(txid)) : JSON.stringify(status(txid, 'SEEN_ON_NETWORK'));
          // as a miner does: until it reads 200
          while ((await post({ url: `${receiver.url}/${path}`, token }, body).catch(() => 0)) !== 200) {
            await restarting;
            await nextTurn();
          }
          answered += 1;
          if (answered === killAfter) restarting = restart();
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      await restarting;
    }
    await receiver.figures();
    await receiver.end('SIGTERM');
    const harness = await ReceiverHarness.open({ folder, secrets: new TestSecrets([['callbackKey:sandbox', seed]]) });
    try {
      await expect.poll(() => harness.callbacks.waiting(), { timeout: 60_000 }).toBe(0);
      const wrong: string[] = [];
      for (let n = 0; n < transactions; n++) {
        const told = await harness.told(txidOf(anyTx(n)));
        if (told.length !== 1) wrong.push(`no. ${n}: ${told.length} times`);
      }
      expect(wrong).toEqual([]);
    } finally {
      await harness.close();
    }
  } finally {
    await receiver.end('SIGKILL').catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}, 1_200_000);
