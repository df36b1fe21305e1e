import { PrivateKey } from '@bsv/sdk';
import { pino } from 'pino';
import { hash160, p2pkhScript, satoshis, serializeTx, signP2pkhInputs, verifyScripts } from '../../../chain/index.ts';
import { settingsSchema } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { SecretName } from '../../ports/secrets.ts';
import { SandboxService } from '../sandbox.ts';

const walletKey = PrivateKey.fromHex('44'.repeat(32));
const walletScript = p2pkhScript(hash160(Uint8Array.from(walletKey.toPublicKey().toDER() as number[])));

/** Secrets that are equal in every process. */
function knownSecrets() {
  const values = new Map<SecretName, Uint8Array>([
    ['sandboxFaucet', Buffer.from('66'.repeat(32), 'hex')],
    ['minerId', Buffer.from('77'.repeat(32), 'hex')],
    ['apiKey:sandbox', Buffer.from(`sandboxnet_${'k'.repeat(26)}`)],
  ]);
  return {
    locked: false,
    get: (name: SecretName) => values.get(name)?.slice(),
    set: async (name: SecretName, value: Uint8Array) => void values.set(name, value),
    delete: async (name: SecretName) => void values.delete(name),
  };
}

/** A sandbox in a folder that several processes open one after the other, on the machine's clock. Blocks are mined only on request. */
export async function openLasting(folder: string): Promise<SandboxService> {
  const sandbox = { bind: '127.0.0.1:0', zmqAddress: 'tcp://127.0.0.1:0', mineInterval: '0', mineOnArrival: '' };
  const settings = settingsSchema.parse({ sandbox: { ...sandbox, maxRequestsPerSecond: 0 } });
  const service = new SandboxService({
    settings: { current: () => settings, onChange: () => () => undefined },
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    secrets: knownSecrets(),
    dataDir: folder,
    walletScript: () => walletScript,
    verify: async (tx, spent, rules) => verifyScripts(tx, spent, undefined, rules),
  });
  await service.start();
  return service;
}

/** Sends a request with the default user's key. @returns `data` of the response, or the payload of an envelope */
export async function ask(service: SandboxService, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(new URL(path, service.endpoints().mapiUrl), {
    method,
    headers: {
      apikey: service.apiKey(),
      authorization: `Bearer ${service.apiKey()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as { data?: unknown; payload?: string };
  if (!answer.ok) throw new Error(JSON.stringify(json));
  return json.payload === undefined ? json.data : JSON.parse(json.payload);
}

/** A payment of the wallet to itself that spends the first output of a transaction. */
export function payOn(txid: string, amount: number): Uint8Array {
  const coin = { txid, vout: 0, satoshis: satoshis(amount), lockingScript: walletScript };
  const inputs = [{ txid, vout: 0, script: new Uint8Array(), sequence: 0xffffffff }];
  const outputs = [{ satoshis: satoshis(amount - 200), script: walletScript }];
  return serializeTx(signP2pkhInputs({ version: 1, inputs, outputs, lockTime: 0 }, [coin], walletKey));
}

export const ownAddress = walletKey.toAddress('testnet');
