import { Inscription } from '@bopen-io/templates';
import { LockingScript, P2PKH, PublicKey } from '@bsv/sdk';
import { applyInscription, OrdP2PKH } from 'js-1sat-ord';
import { fromHex } from '../../../chain/index.ts';

const FILE = { dataB64: 'aGVsbG8=', contentType: 'text/plain' };
const LONG_FILE = { dataB64: Buffer.alloc(5_000, 3).toString('base64'), contentType: 'image/png' };
const META = { app: 'example', type: 'ord' } as const;

const bytesOf = (script: { toHex(): string }) => fromHex(script.toHex());

/**
 * Scripts that inscribe something for a key, as js-1sat-ord and @bopen-io/templates write them. The libraries write locks for addresses of
 * the main network; they are the same on every network.
 */
export const INSCRIBED: Readonly<Record<string, (publicKey: string) => Uint8Array>> = {
  before: (publicKey) => bytesOf(new OrdP2PKH().lock(addressOf(publicKey), FILE, META)),
  beforeLong: (publicKey) => bytesOf(new OrdP2PKH().lock(addressOf(publicKey), LONG_FILE, META)),
  bare: (publicKey) => bytesOf(new OrdP2PKH().lock(addressOf(publicKey))),
  separated: (publicKey) => bytesOf(applyInscription(lockOf(publicKey), FILE, META, true)),
  separatedLong: (publicKey) => bytesOf(applyInscription(lockOf(publicKey), LONG_FILE, META, true)),
  after: (publicKey) => template(publicKey, 'scriptPrefix'),
  beforeToo: (publicKey) => template(publicKey, 'scriptSuffix'),
  beforeKey: (publicKey) => bytesOf(applyInscription(keyLock(publicKey), FILE)),
  beforeKeyWithData: (publicKey) => bytesOf(applyInscription(keyLock(publicKey), FILE, META)),
  beforeKeySeparated: (publicKey) => bytesOf(applyInscription(keyLock(publicKey), FILE, undefined, true)),
  twice: (publicKey) => bytesOf(applyInscription(applyInscription(lockOf(publicKey), FILE), LONG_FILE)),
};

function addressOf(publicKey: string): string {
  return PublicKey.fromString(publicKey).toAddress();
}

function lockOf(publicKey: string): LockingScript {
  return new P2PKH().lock(addressOf(publicKey));
}

function keyLock(publicKey: string): LockingScript {
  return LockingScript.fromASM(`${publicKey} OP_CHECKSIG`);
}

function template(publicKey: string, side: 'scriptPrefix' | 'scriptSuffix'): Uint8Array {
  return bytesOf(Inscription.fromText('hello', 'text/plain', { [side]: lockOf(publicKey) }).lock());
}
