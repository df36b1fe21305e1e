import { setImmediate } from 'node:timers/promises';
import { p2pkhScript, readInscription, satoshis, serializeTx } from '../../../../chain/index.ts';
import {
  MAX_BACKUP_CHARACTERS,
  MAX_SETTINGS_FILE,
  MAX_TRANSACTION_TEXT,
  UPLOAD_PIECE_BYTES,
} from '../../../../contract/index.ts';
import { decodeContract, decodeToken } from '../../../../token/index.ts';
import { systemClock } from '../../../clock.ts';
import { TransactionUploads } from '../../../merchant/submission/uploads.ts';
import { shortAsm, viewData, viewInscription } from '../../../node-format/script-parts.ts';
import { viewOfLink } from '../../../shell/links/deep-links.ts';
import type { Surface } from '../../../test-support/hostile/readers.ts';
import { type Around, hostile, within } from '../../../test-support/hostile/shapes.ts';
import { sealWithPassphrase } from '../../../vault/passphrase-seal.ts';
import { type Attack, type Attacker, bare, given, LONG, type Work } from './attack.ts';
import { opened, sent, toApi } from './target.ts';

const previewSettings = (text: string) => opened.client.settings.previewImport({ text });
const aroundSettings = { before: '{"planchetSettings":1,"settings":', after: '}' };
const PASSPHRASE = 'a passphrase';
const checkBackup = (text: string) => opened.client.wallet.backup.check({ text, passphrase: PASSPHRASE });
const backupHead = '{"format":"planchet-wallet-backup","version":1,"network":"sandbox","sealed":"';
const aroundSealed = { before: backupHead, after: '"}', quoted: true };

/** A backup with the right passphrase whose content is hostile. */
async function sealedContent({ shape, bytes }: Attack): Promise<Work> {
  const content = within(hostile(shape, bytes), { before: '{"entropy":"00","birthHeight":0,"book":', after: '}' });
  const sealed = await sealWithPassphrase(PASSPHRASE, content, 'planchet-wallet-backup 1 sandbox');
  const text = `${backupHead}${JSON.stringify(sealed).slice(1, -1)}"}`;
  return () =>
    checkBackup(text).then(
      () => undefined,
      () => undefined,
    );
}

function withInputs(count: number): Uint8Array {
  const input = { txid: 'ab'.repeat(32), script: new Uint8Array(), sequence: 0 };
  const inputs = Array.from({ length: count }, (_, vout) => ({ ...input, vout }));
  return serializeTx({
    version: 1,
    inputs,
    outputs: [{ satoshis: satoshis(1), script: new Uint8Array() }],
    lockTime: 0,
  });
}

/** How the scripts of an inscription and of a contract begin. */
const HEADS = ['0063036f7264', `76a914${'11'.repeat(20)}88ac6a`];

/** Uploads a file in pieces, as the page does. @returns whatever is made of it */
function uploaded(...arounds: Around[]): Attacker {
  return ({ shape, bytes }) => {
    const files = arounds.map((around) => new Blob([Uint8Array.from(within(hostile(shape, bytes), around))]));
    return async () => {
      for (const file of files) {
        const uploads = new TransactionUploads(systemClock);
        const { uploadId } = await uploads.append({ piece: new Blob([]) });
        for (let at = 0; at < file.size; at += UPLOAD_PIECE_BYTES)
          await uploads.append({ uploadId, piece: file.slice(at, at + UPLOAD_PIECE_BYTES) }).catch(() => undefined);
        await Promise.resolve()
          .then(() => uploads.read(uploadId))
          .catch(() => undefined);
        uploads.close();
      }
    };
  };
}

/** Texts, files and scripts that a person or the chain hands over. */
export const texts = {
  settings: [
    sent(toApi('settings/previewImport'), { before: '{"json":{"text":"', after: '"}}', quoted: true }),
    given(previewSettings, bare, aroundSettings),
    // the longest file
    ({ shape }) => given(previewSettings, aroundSettings)({ shape, bytes: MAX_SETTINGS_FILE - 100 }),
  ],
  backups: [
    sent(toApi('wallet/backup/check'), {
      before: '{"json":{"passphrase":"none","text":"',
      after: '"}}',
      quoted: true,
    }),
    given(checkBackup, bare, aroundSealed),
    ({ shape, bytes }) =>
      given(checkBackup, aroundSealed)({ shape, bytes: Math.min(bytes, MAX_BACKUP_CHARACTERS / 2) }),
    ({ shape, bytes }) => sealedContent({ shape, bytes: Math.min(bytes, MAX_BACKUP_CHARACTERS / 2 - 1_000) }),
  ],
  transactions: [
    sent(toApi('tx/decode'), { before: '{"json":{"source":{"text":"', after: '"}}}', quoted: true }),
    given((text) => {
      const source = { text: text.slice(0, MAX_TRANSACTION_TEXT) };
      return opened.client.tx.decode({ source, offset: 0, limit: 10 });
    }, bare),
    uploaded(bare, { before: '[[' }),
    ({ bytes }) => {
      const hex = Buffer.from(withInputs(Math.floor(Math.min(bytes, MAX_TRANSACTION_TEXT / 2 - 100) / 41))).toString(
        'hex',
      );
      const source = { text: hex };
      return () =>
        opened.client.tx.decode({ source, offset: 0, limit: 10 }).then(
          () => undefined,
          () => undefined,
        );
    },
  ],
  // studio/import/hostile-files.test.ts sends files of its own shapes, which are read from the disk
  imports: [],
  links: [given(viewOfLink, { before: 'planchet://open/' })],
  scripts: [
    ...['', ...HEADS, '006a'].map(
      (head): Attacker =>
        ({ shape, bytes }) =>
          readScript(Buffer.concat([Buffer.from(head, 'hex'), hostile(shape, bytes)])),
    ),
    // pushes of one byte, operations, envelopes within envelopes, and a contract whose schema is all brackets
    ...['01010102', '51', '00', '63', '0063036f726468'].flatMap((unit, n) =>
      (LONG ? ['', ...HEADS] : [['', ...HEADS][n % 3] as string]).map(
        (head): Attacker =>
          ({ bytes }) => {
            const script = Buffer.alloc(bytes, Buffer.from(unit, 'hex'));
            Buffer.from(head, 'hex').copy(script);
            return readScript(script);
          },
      ),
    ),
  ],
} satisfies Partial<Record<Surface, readonly Attacker[]>>;

/** Reads it as each reader does, and as the schema of a contract. */
function readScript(bytes: Buffer): Work {
  const script = Uint8Array.from(bytes);
  const pushed = Buffer.alloc(5, 0x4e);
  pushed.writeUInt32LE(script.length, 1);
  const contract = Uint8Array.from(Buffer.concat([p2pkhScript(new Uint8Array(20)), Buffer.of(0x6a), pushed, script]));
  return () => readScripts(script, contract);
}

/** Each reader in a turn of its own, as they run in different places. */
async function readScripts(script: Uint8Array, contract: Uint8Array): Promise<void> {
  for (const read of [readInscription, decodeToken, viewInscription, viewData]) {
    await setImmediate();
    read(script);
  }
  await setImmediate();
  shortAsm(script, false);
  await setImmediate();
  decodeContract(contract);
  await setImmediate();
}
