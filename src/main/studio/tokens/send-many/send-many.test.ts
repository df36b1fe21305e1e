import { describe, expect, it } from 'vitest';
import { PlanchetError, type SendManyList, type TokenCard } from '../../../../contract/index.ts';
import { workbookOfTexts } from '../../import/test-support/workbook.ts';
import type { Recipients } from './pairing.ts';
import { createSendMany } from './send-many.ts';

const outpointOf = (n: number): string => `${'ab'.repeat(32)}_${n}`;
const card = (n: number, changes: Partial<TokenCard> = {}): TokenCard =>
  ({ outpoint: outpointOf(n), origin: outpointOf(n), name: `Moon ${n}`, number: n, ...changes }) as TokenCard;

/** Every text that begins like an address counts as one. `mAlike` looks like the address of the contact Alice; another contact is named `mAtrap`. */
const recipients: Recipients = {
  check: (address) => ({
    failure: address.startsWith('mA') ? null : new PlanchetError('wallet.address-length', { prefix: 'm' }).toFailure(),
    own: address === 'mAown',
  }),
  notesOf: (address) => ({
    contact: address === 'mAlice' ? 'Alice' : null,
    resembles: address === 'mAlike' ? { address: 'mAlice', name: 'Alice' } : null,
  }),
  named: (name) => (['alice', 'matrap'].includes(name.toLowerCase()) ? 'mAlice' : undefined),
};

async function read(
  text: string | Uint8Array<ArrayBuffer>,
  {
    chosen = [],
    held = [1, 2, 3, 4].map((n) => card(n)),
    name = 'list.csv',
  }: { chosen?: number[]; held?: TokenCard[]; name?: string } = {},
): Promise<SendManyList> {
  const { read: reading } = createSendMany({
    tokens: { list: async () => ({ tokens: held, total: held.length }) },
    recipients: async () => recipients,
    prepare: () => Promise.reject(new Error('nothing is prepared')),
  });
  return reading({ list: new Blob([text]), name, tokens: chosen.map(outpointOf) });
}

/** Line, address, number of its token, and keys of what is wrong, of each row. */
const shown = ({ rows }: SendManyList) =>
  rows.map(({ line, address, token, problems }) => [
    line,
    address,
    token?.number ?? null,
    ...problems.map(({ phrase, failure }) => phrase?.key.replace('send-many.', '') ?? failure?.id),
  ]);

describe('a list of receivers', () => {
  it('is paired with the chosen tokens in their order, the first line too', async () => {
    const list = await read('mAone\nmAtwo\r\n\nmAthree', { chosen: [3, 1, 2] });
    expect(shown(list)).toEqual([
      [1, 'mAone', 3],
      [2, 'mAtwo', 1],
      [4, 'mAthree', 2],
    ]);
    expect([list.left, list.pairedBy]).toEqual([[], 'order']);
    expect(shown(await read('mAone', { chosen: [2] }))).toEqual([[1, 'mAone', 2]]);
  });

  it('takes an address as an address, even if it is the name of a contact', async () => {
    expect(shown(await read('mAtrap\nAlice', { chosen: [1, 2] }))).toEqual([
      [1, 'mAtrap', 1],
      [2, 'mAlice', 2],
    ]);
  });

  it('finds a token by its name, whether that is written composed or decomposed', async () => {
    const held = [card(1, { name: 'Stück' })];
    expect(shown(await read(`address,token\nmAone,${'stück'.normalize('NFD')}`, { held }))).toEqual([[2, 'mAone', 1]]);
  });

  it('reports lines without a token, and tokens without a line', async () => {
    expect(shown(await read('mAone\nmAtwo', { chosen: [1] }))).toEqual([
      [1, 'mAone', 1],
      [2, 'mAtwo', null, 'no-token-left'],
    ]);
    expect((await read('mAone', { chosen: [1, 2, 3] })).left).toEqual([outpointOf(2), outpointOf(3)]);
    expect(shown(await read('mAone'))).toEqual([[1, 'mAone', null, 'no-tokens']]);
  });

  it('names its tokens by number, name or outpoint, with and without headings, in any column', async () => {
    expect(shown(await read(`address,token\nmAone,#2\nmAtwo,moon 3\nmAthree,${outpointOf(4)}`))).toEqual([
      [2, 'mAone', 2],
      [3, 'mAtwo', 3],
      [4, 'mAthree', 4],
    ]);
    expect(shown(await read(`4;mAone\n${'ab'.repeat(32)}:1;mAtwo`))).toEqual([
      [1, 'mAone', 4],
      [2, 'mAtwo', 1],
    ]);
    for (const header of [[], [['Stück', 'Empfänger']]]) {
      const workbook = workbookOfTexts([...header, ['4', 'mAone'], ['Moon 2', 'mAtwo']]);
      expect(shown(await read(new Uint8Array(workbook), { name: 'Liste.xlsx' }))).toEqual([
        [header.length + 1, 'mAone', 4],
        [header.length + 2, 'mAtwo', 2],
      ]);
    }
    const german = new Uint8Array([
      0xff,
      0xfe,
      ...new Uint8Array(new Uint16Array([...'Empfänger\tNummer\nmAone\t2'].map((c) => c.charCodeAt(0))).buffer),
    ]);
    expect(shown(await read(german, { name: 'Liste.tsv' }))).toEqual([[2, 'mAone', 2]]);
  });

  it('names tokens whatever way their accents are written in', async () => {
    const held = [card(1, { name: 'Mu\u0308ller' }), card(2, { name: 'Größe' })];
    expect(shown(await read('token,address\nMÜLLER,mAone\nGro\u0308ße,mAtwo', { held }))).toEqual([
      [2, 'mAone', 1],
      [3, 'mAtwo', 2],
    ]);
  });

  it("takes a column of names as receivers' names if no chosen token has such a name", async () => {
    const list = await read('name,address\nBob,mAone\nCleo,mAtwo', { chosen: [1, 2] });
    expect([list.pairedBy, ...shown(list)]).toEqual(['order', [2, 'mAone', 1], [3, 'mAtwo', 2]]);
    // A column that names tokens by its header is not ignored, even if no token has such a name.
    expect(shown(await read('token,address\nMoon 9,mAone', { chosen: [1] }))).toEqual([
      [2, 'mAone', null, 'token-unknown'],
    ]);
  });

  it('pairs each token once, and none whose name two tokens have', async () => {
    const held = [card(1), card(2), card(5, { name: 'Moon 2', number: 2 })];
    expect(shown(await read('address,token\nmAone,1\nmAtwo,Moon 1\nmAthree,2\nmAfour,\nmAfive,7', { held }))).toEqual([
      [2, 'mAone', 1],
      [3, 'mAtwo', null, 'token-twice'],
      [4, 'mAthree', null, 'token-several'],
      [5, 'mAfour', null, 'token-missing'],
      [6, 'mAfive', null, 'token-unknown'],
    ]);
  });

  it('reports errors of the address of each line, and warnings', async () => {
    const lines = ['mAone', 'nobody', 'mAone', 'mAown', 'mAlike', 'ALICE'];
    expect(
      shown(await read(lines.join('\n'), { chosen: [1, 2, 3, 4], held: [1, 2, 3, 4, 5, 6].map((n) => card(n)) })),
    ).toEqual([
      [1, 'mAone', 1],
      [2, 'nobody', 2, 'wallet.address-length'],
      [3, 'mAone', 3, 'address-twice'],
      [4, 'mAown', 4, 'address-own'],
      [5, 'mAlike', null, 'look-alike-contact', 'no-token-left'],
      [6, 'mAlice', null, 'no-token-left'],
    ]);
  });

  it('is refused where it is empty, no text, or names a chosen token that is not held', async () => {
    await expect(read(' \n\n')).rejects.toMatchObject({ id: 'tokens.list-empty' });
    await expect(read(new Uint8Array([0xff, 0x00, 0x80]))).rejects.toMatchObject({ id: 'import.table-unreadable' });
    await expect(read('mAone', { chosen: [9] })).rejects.toMatchObject({ id: 'wallet.send-no-token' });
  });
});
