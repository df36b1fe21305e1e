import { screen } from '@testing-library/react';
import { vi } from 'vitest';
import { Route } from 'wouter';
import type { TokenCard, TokenDetail, TokenQuery } from '../../../contract/index.ts';
import { useTokenSelection } from '../../lib/items/token-selection.ts';
import { type HostAnswers, refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo, TXID } from '../../test-support/samples.ts';
import { Tokens } from './tokens.tsx';

const NOON = Date.UTC(2026, 0, 31, 12);
export const HASH = 'ef'.repeat(32);

export function moon(n: number, changes: Partial<TokenCard> = {}): TokenCard {
  return {
    outpoint: `${TXID}_${n}`,
    origin: `${TXID}_${n}`,
    name: `Moon ${n}`,
    number: n,
    rank: null,
    source: 'minted',
    owned: true,
    address: ADDRESS,
    read: true,
    projectUid: 'p1',
    projectName: 'Gallery',
    itemId: `i${n}`,
    collectionId: null,
    content: { sha256: HASH, contentType: 'application/octet-stream', bytes: 100, stored: true, fileName: 'moon.bin' },
    traits: [{ name: 'Phase', value: n % 2 === 0 ? 'Full' : 'New' }],
    state: 'proven',
    blockHeight: 5,
    at: NOON - n,
    ...changes,
  };
}

export const gift = (changes: Partial<TokenCard> = {}): TokenCard =>
  moon(0, {
    source: 'received',
    origin: null,
    name: '',
    number: null,
    projectUid: null,
    projectName: null,
    itemId: null,
    content: null,
    traits: [],
    ...changes,
  });

export const detailOf = (token: TokenCard, changes: Partial<TokenDetail> = {}): TokenDetail => ({
  token,
  metadata: {},
  claims: { number: null, quantity: null, artist: null, royalties: [], collection: null, traits: [] },
  rarity: null,
  provenance: [
    {
      kind: 'mint',
      outpoint: token.outpoint,
      txid: TXID,
      address: ADDRESS,
      blockHash: 'aa'.repeat(32),
      blockHeight: 5,
      at: NOON,
    },
  ],
  failure: null,
  ...changes,
});

/** The host's own filter, as far as these tests need it. */
function fits({ name, traits }: TokenCard, { text = '', traits: wanted = [] }: Partial<TokenQuery>): boolean {
  const all = `${name} ${traits.map((trait) => `${trait.name} ${trait.value}`).join(' ')}`.toLowerCase();
  const hasWords = text
    .toLowerCase()
    .split(' ')
    .every((word) => all.includes(word));
  return hasWords && wanted.every(({ value }) => traits.some((trait) => trait.value === value));
}

/** What the host was asked for since the view was drawn. */
export const asked: TokenQuery[] = [];

export function draw(
  cards: readonly TokenCard[],
  { at = '/tokens', tokens, ...host }: HostAnswers & { at?: string } = {},
) {
  asked.length = 0;
  useTokenSelection.getState().change(() => new Set());
  const view = (
    <Route path="/tokens/:outpoint?">
      {({ outpoint }) => <Tokens {...(outpoint === undefined ? {} : { outpoint })} />}
    </Route>
  );
  const list = (query: TokenQuery) => {
    asked.push(query);
    const found = cards.filter((card) => fits(card, query));
    return { tokens: found.slice(query.offset, query.offset + query.limit), total: found.length };
  };
  return renderPart(view, {
    at,
    live: { app: appInfo },
    host: {
      tokens: {
        list: list as never,
        facets: () => ({
          minted: cards.filter(({ source }) => source === 'minted').length,
          received: cards.filter(({ source }) => source === 'received').length,
          elsewhere: cards.filter(({ owned }) => !owned).length,
          projects: [],
          traits: [
            { name: 'Phase', value: 'Full', count: 2 },
            { name: 'Phase', value: 'New', count: 1 },
          ],
        }),
        get: ({ outpoint }) => {
          const card = cards.find((one) => one.outpoint === outpoint);
          if (card === undefined) throw refusal({ code: 'not-found', message: 'No such token.' });
          return detailOf(card);
        },
        ...tokens,
      },
      transactions: { spenders: () => [{ index: 0, state: 'unspent', by: null }] },
      ...host,
    },
  });
}

export const moons = (count: number): TokenCard[] => Array.from({ length: count }, (_, n) => moon(n));
export const wall = () => screen.findByRole('listbox', { name: 'Your tokens' });
export const here = (): string => location.hash.slice(1);
export const search = () => screen.findByRole('textbox', { name: 'Find by name, trait, owner or id' });

/** Runs with the browser's way of saving a file watched. */
export async function saving(run: (saved: [string, string][]) => Promise<void>): Promise<void> {
  const saved: [string, string][] = [];
  const create = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => `blob:${(blob as Blob).type}`);
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push([this.download, this.href]);
  });
  try {
    await run(saved);
  } finally {
    create.mockRestore();
    click.mockRestore();
  }
}
