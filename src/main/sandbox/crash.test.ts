import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rebuildUtxoSet, storedUtxoSet } from './node/test-support/rebuild.ts';
import type { SandboxService } from './sandbox.ts';
import type { TokenTables } from './tables.ts';
import { ask, openLasting } from './test-support/lasting-sandbox.ts';
import { outputBody } from './test-support/open-sandbox.ts';
import { ContentFiles } from './token/content-files.ts';

const KILLS = process.env.PLANCHET_LONG ? 50 : 1;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-killed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script of test-support, kills it some milliseconds after its first word, and returns what it had said. */
async function killedAfter(ms: number, script: string, ...args: string[]): Promise<string> {
  const path = fileURLToPath(new URL(`./test-support/${script}.ts`, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (said === '') setTimeout(() => child.kill('SIGKILL'), ms);
    said += text;
  });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  return said;
}

async function mintable(service: SandboxService, name: string): Promise<void> {
  const project = { name, isFungible: false, type: 'single', tokenProtocol: 'OneSatOrdinal' };
  const { projectUid } = (await ask(service, 'POST', '/token/v1/project/create', project)) as { projectUid: string };
  const body = outputBody(projectUid, { b64File: Buffer.from(`content of ${name}`).toString('base64') }, { name });
  await ask(service, 'POST', '/token/v1/token/one-sat-ord/create-output', body);
}

/** Everything that tells one network from another; fails where it is not all there. */
async function networkOf(service: SandboxService): Promise<string> {
  const { projectList } = (await ask(service, 'GET', '/token/v1/project')) as { projectList: { uid: string }[] };
  const names: string[] = [];
  const contents = await ContentFiles.open(
    join(folder, 'sandbox-content'),
    service.node.db as unknown as Kysely<TokenTables>,
  );
  for (const { uid } of projectList) {
    const { outputList } = (await ask(service, 'GET', `/token/v1/output/by-project/${uid}`)) as {
      outputList: { metadata: { name: string }; offChainData: { b64FileHash: string } }[];
    };
    for (const { metadata, offChainData } of outputList) {
      const content = await contents.read(offChainData.b64FileHash);
      expect(createHash('sha256').update(content).digest('hex')).toBe(offChainData.b64FileHash);
      names.push(metadata.name);
    }
  }
  const { db } = service.node;
  expect(await storedUtxoSet(db)).toEqual(await rebuildUtxoSet(db));
  return JSON.stringify([service.node.tip().hash, names, (await service.status()).seed]);
}

describe('a sandbox that is killed', () => {
  it(
    `while its network is replaced is the one before or the one after, ${KILLS} times in a row`,
    async () => {
      const exported = join(folder, 'second.planchet');
      const networks = new Set<string>();
      const setUp = await openLasting(folder);
      await mintable(setUp, 'first');
      networks.add(await networkOf(setUp));
      await setUp.snapshots.take({ name: 'first' });
      await setUp.reset({ seed: 'second' });
      await setUp.mine({ blocks: 2 });
      await mintable(setUp, 'second');
      networks.add(await networkOf(setUp));
      await setUp.export({ file: exported });
      await setUp.reset({ seed: 'third' });
      networks.add(await networkOf(setUp));
      await setUp.stop();
      expect(networks.size).toBe(3);

      let midway = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        await killedAfter((kill * 61) % 400, 'swap-until-killed', folder, exported);
        if (existsSync(join(folder, 'sandbox.db.before'))) midway++;
        const service = await openLasting(folder);
        expect(networks).toContain(await networkOf(service));
        expect((await service.mine({ blocks: 1 })).hashes).toHaveLength(1);
        await service.snapshots.revert({ name: 'first' });
        expect(networks).toContain(await networkOf(service));
        await service.stop();
        expect(readdirSync(join(folder, 'exchange'))).toEqual([]);
      }
      // a few kills may all fall between two replacements
      if (process.env.PLANCHET_LONG) expect(midway).toBeGreaterThan(KILLS / 5);
    },
    180_000 + KILLS * 10_000,
  );

  it(
    `while callbacks wait has told everything it promised to, ${KILLS} times in a row`,
    async () => {
      const told = new Map<string, number>();
      const receiver = createServer((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', async () => {
          // so that some always wait
          await sleep(15);
          const { payload } = JSON.parse(Buffer.concat(parts).toString());
          const { callbackTxId, callbackReason } = JSON.parse(payload);
          expect(callbackReason).toBe('merkleProof');
          told.set(callbackTxId, (told.get(callbackTxId) ?? 0) + 1);
          response.writeHead(200).end();
        });
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
      try {
        const promised: string[] = [];
        let pending = 0;
        for (let kill = 0; kill < KILLS; kill++) {
          const said = await killedAfter(150 + ((kill * 53) % 300), 'tell-until-killed', folder, url);
          // the last line may be cut
          promised.push(...said.split('\n').slice(0, -1));
          pending += promised.filter((txid) => !told.has(txid)).length;
        }
        if (process.env.PLANCHET_LONG) expect(pending).toBeGreaterThan(KILLS);
        const service = await openLasting(folder);
        await service.mine({ blocks: 1 });
        await expect
          .poll(() => promised.filter((txid) => !told.has(txid)), { timeout: 30_000, interval: 50 })
          .toEqual([]);
        await expect
          .poll(async () => (await service.status()).callbacks, { timeout: 30_000, interval: 50 })
          .toEqual({ waiting: 0, givenUp: 0 });
        await service.stop();
      } finally {
        receiver.closeAllConnections();
        await new Promise((resolve) => receiver.close(resolve));
      }
    },
    180_000 + KILLS * 10_000,
  );
});
