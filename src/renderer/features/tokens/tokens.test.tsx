import { cleanup, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import type { TokenCard, TokenDetail, TokenQuery } from '../../../contract/index.ts';
import { useTokenSelection } from '../../lib/items/token-selection.ts';
import { type HostAnswers, refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo, TXID } from '../../test-support/samples.ts';
import { Tokens } from './tokens.tsx';

const NOON = Date.UTC(2026, 0, 31, 12);
const HASH = 'ef'.repeat(32);

function moon(n: number, changes: Partial<TokenCard> = {}): TokenCard {
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

const gift = (changes: Partial<TokenCard> = {}): TokenCard =>
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

const detailOf = (token: TokenCard, changes: Partial<TokenDetail> = {}): TokenDetail => ({
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

const asked: TokenQuery[] = [];
beforeEach(() => useTokenSelection.getState().change(() => new Set()));

function draw(cards: readonly TokenCard[], { at = '/tokens', tokens, ...host }: HostAnswers & { at?: string } = {}) {
  asked.length = 0;
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

const moons = (count: number): TokenCard[] => Array.from({ length: count }, (_, n) => moon(n));
const wall = () => screen.findByRole('listbox', { name: 'Your tokens' });
const here = (): string => location.hash.slice(1);
const search = () => screen.findByRole('textbox', { name: 'Find by name, trait, owner or id' });

/** Runs with the browser's way of saving a file watched. */
async function saving(run: (saved: [string, string][]) => Promise<void>): Promise<void> {
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

describe('the wall of tokens', () => {
  it('fetches and draws only what is in sight of ten thousand', async () => {
    draw(moons(10_000));
    const shown = within(await wall()).getAllByRole('option');
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.length).toBeLessThan(60);
    expect(shown[0]?.getAttribute('aria-setsize')).toBe('10000');
    expect(screen.getByText('10,000 tokens')).toBeTruthy();
    expect(new Set(asked.map(({ offset }) => offset))).toEqual(new Set([0]));
    expect(asked.every(({ limit }) => limit <= 500)).toBe(true);
  });

  it('does not count what was sent among the tokens of the wallet', async () => {
    draw(moons(3).map((card, at) => ({ ...card, owned: at > 0 })));
    expect(await screen.findByText('2 in your wallet, 1 elsewhere')).toBeTruthy();
  });

  it('is moved through with the arrow keys, and Enter opens a token', async () => {
    const user = draw(moons(3));
    (await wall()).focus();
    await user.keyboard('{ArrowRight}{ArrowRight}');
    const active = document.getElementById((await wall()).getAttribute('aria-activedescendant') ?? '');
    expect(active?.getAttribute('aria-label')).toBe('Moon 1, Gallery, Proven');
    await user.keyboard('{Enter}');
    expect(here()).toBe(`/tokens/${TXID}_1`);
    expect(await screen.findByRole('dialog', { name: 'Moon 1' })).toBeTruthy();
  });

  it('marks what is not done, not certain or elsewhere, and nothing else', async () => {
    draw([
      moon(0),
      moon(1, { state: 'seen' }),
      moon(2, { owned: false }),
      gift({ outpoint: `${TXID}_8`, name: 'Gift' }),
    ]);
    const tiles = within(await wall()).getAllByRole('option');
    const marks = tiles.map((tile) =>
      ['Proven', 'In the mempool', 'Elsewhere', 'Untrusted'].filter((text) => within(tile).queryByText(text)),
    );
    expect(marks).toEqual([[], ['In the mempool'], ['Elsewhere'], ['Untrusted']]);
  });

  it('plays a video or a sound in its tile on a press, one at a time, until a token is opened', async () => {
    const read: string[] = [];
    const film = { sha256: HASH, bytes: 100, stored: true, fileName: 'waves.webm' };
    const song = { sha256: '0'.repeat(64), contentType: 'audio/mpeg', bytes: 9, stored: false, fileName: null };
    const user = draw(
      [
        moon(0),
        moon(1, { content: { ...film, contentType: 'video/webm' } }),
        moon(2, { source: 'received', name: '', content: song }),
        moon(3, { content: { ...film, contentType: 'text/html' } }),
      ],
      {
        files: { read: () => new Blob(['film'], { type: 'text/html' }) },
        transactions: {
          spenders: () => [{ index: 0, state: 'unspent', by: null }],
          content: ({ txid, index }) => {
            read.push(`${txid}_${index}`);
            return new Blob(['song'], { type: 'text/html' });
          },
        },
      },
    );
    const list = await wall();
    const player = (kind: string) => document.querySelector<HTMLMediaElement>(kind);
    // an option of a list holds nothing that can be pressed
    expect(within(list).queryByRole('button')).toBeNull();
    expect(screen.getAllByRole('button', { name: /^Play/ })).toHaveLength(2);
    list.focus();
    await user.tab();
    await user.keyboard('{Enter}');
    await expect.poll(() => player('video')?.autoplay).toBe(true);
    expect(screen.getByRole('button', { name: 'Stop Moon 1' })).toBe(document.activeElement);
    expect(read).toEqual([]);
    await user.click(screen.getByRole('button', { name: /^Play [0-9a-f]{6}/ }));
    await expect.poll(() => player('audio')?.src).toMatch(/^blob:/);
    expect(player('video')).toBeNull();
    expect(read).toEqual([`${TXID}_2`]);
    expect(here()).toBe('/tokens');
    await user.click(within(list).getByRole('option', { name: /^Moon 0/ }));
    expect(here()).toBe(`/tokens/${TXID}_0`);
    expect(player('audio')).toBeNull();
    // the search opens a token by its address alone
    await user.keyboard('{Escape}');
    await user.click(await screen.findByRole('button', { name: 'Play Moon 1' }));
    await expect.poll(() => player('video')).not.toBeNull();
    location.hash = `#/tokens/${TXID}_0`;
    await expect.poll(() => player('video')).toBeNull();
  });

  it('chooses a range far beyond what is in sight, and counts it', async () => {
    const cards = moons(10_000);
    const user = draw(cards, { tokens: { outpoints: () => ({ outpoints: cards.map(({ outpoint }) => outpoint) }) } });
    (await wall()).focus();
    await user.keyboard('{ArrowRight}{Shift>}{End}{/Shift}');
    expect(await screen.findByRole('toolbar', { name: '10,000 selected' })).toBeTruthy();
    await user.keyboard('{Escape}');
    await expect.poll(() => screen.queryByRole('toolbar')).toBeNull();
    const [first] = within(await wall()).getAllByRole('option');
    expect(first?.getAttribute('aria-selected')).toBe('false');
  });

  it('asks for the order that is chosen, and for the other way round', async () => {
    const user = draw(moons(3));
    await user.click(await screen.findByRole('combobox', { name: 'Sort by' }));
    await user.click(await screen.findByRole('option', { name: 'Rarity rank' }));
    await user.click(screen.getByRole('button', { name: 'Reverse the order' }));
    await expect.poll(() => asked.at(-1)).toMatchObject({ sort: 'rank', reversed: true });
  });

  it('is filtered by what is typed, says when nothing fits, and forgets the filter', async () => {
    const user = draw(moons(3));
    await user.type(await search(), 'phase new');
    expect(await screen.findByText('1 of 3')).toBeTruthy();
    expect(within(await wall()).getAllByRole('option')).toHaveLength(1);
    await user.type(await search(), ' sun');
    await user.click(await screen.findByRole('button', { name: 'Clear the filter' }));
    expect(await screen.findByText('3 tokens')).toBeTruthy();
  });

  it('is filtered by a value of a trait', async () => {
    const user = draw(moons(3));
    await user.click(await screen.findByRole('combobox', { name: 'Traits' }));
    await user.click(await screen.findByRole('option', { name: 'Phase: Full (2)' }));
    expect(await screen.findByText('2 of 3')).toBeTruthy();
    expect(asked.at(-1)?.traits).toEqual([{ name: 'Phase', value: 'Full' }]);
  });

  it('leads to the projects while there is no token', async () => {
    draw([]);
    expect(await screen.findByText('No tokens yet')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to projects' }).getAttribute('href')).toBe('#/projects');
  });

  it('says why the tokens cannot be read, and tries again', async () => {
    const list = vi.fn(() => {
      throw refusal({ code: 'upstream-error', message: 'The service is away.', hint: 'Try later.' });
    });
    const user = draw(moons(1), { tokens: { list } });
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    expect(screen.getByText('The service is away.')).toBeTruthy();
    await expect.poll(() => list.mock.calls.length).toBe(2);
  });
});

describe('the sheet of a token', () => {
  it('says who owns it, its traits with their share, and its way from the mint to now', async () => {
    const rarity = { total: 4, traits: [{ name: 'Phase', count: 3 }] };
    draw(moons(3), { at: `/tokens/${TXID}_1`, tokens: { get: () => detailOf(moon(1), { rarity }) } });
    const sheet = await screen.findByRole('dialog', { name: 'Moon 1' });
    expect(await within(sheet).findByText('Your wallet')).toBeTruthy();
    expect(within(sheet).getByText('New')).toBeTruthy();
    // what only programs need is folded
    expect(within(sheet).getByText('Outpoint').closest('details')?.open).toBe(false);
    expect(await within(sheet).findByText('3 of 4')).toBeTruthy();
    const steps = within(within(sheet).getByRole('region', { name: 'Provenance' })).getAllByRole('listitem');
    expect(steps.map((step) => step.textContent)).toEqual([
      expect.stringMatching(/^Inscribed.*Block 5/),
      'In your wallet now',
    ]);
    expect(within(sheet).getByRole('link', { name: 'Send' }).getAttribute('href')).toBe(`#/tokens/${TXID}_1/send`);
  });

  it('says that a token has moved on once its output is spent, and offers no sending', async () => {
    draw([moon(0, { owned: false, address: null })], {
      at: `/tokens/${TXID}_0`,
      transactions: { spenders: () => [{ index: 0, state: 'spent', by: null }] },
    });
    expect(await screen.findByText(/^It has moved on from/)).toBeTruthy();
    expect(await screen.findByText('Moved on')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Send' })).toBeNull();
  });

  it('says why its way is not known, and shows the rest', async () => {
    const failure = { code: 'upstream-unreachable' as const, message: 'No node answers.' };
    draw(moons(1), {
      at: `/tokens/${TXID}_0`,
      tokens: { get: () => detailOf(moon(0), { provenance: [], failure }) },
    });
    expect(await screen.findByText('No node answers.')).toBeTruthy();
    expect(screen.getByText('Phase')).toBeTruthy();
  });

  it('hands over the content as a file without a type', async () => {
    await saving(async (saved) => {
      const user = draw(moons(1), {
        at: `/tokens/${TXID}_0`,
        files: { read: () => new Blob(['<script>'], { type: 'text/html' }) },
      });
      await user.click(await screen.findByRole('button', { name: 'Download' }));
      await expect.poll(() => saved).toEqual([['moon.bin', 'blob:application/octet-stream']]);
    });
  });

  it('hands over the proof and the certificate, and offers none before a block holds the token', async () => {
    const outpoints: unknown[] = [];
    await saving(async (saved) => {
      const user = draw(moons(1), {
        at: `/tokens/${TXID}_0`,
        tokens: {
          bundle: (input) => {
            outpoints.push(input);
            return { bundle: new Blob(['<!doctype html>']), tokens: 1 };
          },
          certificate: (input) => {
            outpoints.push(input);
            return new Blob(['png']);
          },
        },
      });
      await user.click(await screen.findByRole('button', { name: 'Proof' }));
      await user.click(await screen.findByRole('button', { name: 'Certificate' }));
      await expect
        .poll(() => saved.map(([name]) => name).sort())
        .toEqual(['Moon 0 certificate.pdf', 'Moon 0 proof.html']);
      expect(outpoints).toEqual([{ outpoint: `${TXID}_0` }, { outpoint: `${TXID}_0`, language: 'en' }]);
    });
    cleanup();
    draw([moon(0, { state: 'seen' })], { at: `/tokens/${TXID}_0` });
    await screen.findByRole('button', { name: 'Download' });
    expect(screen.queryByRole('button', { name: 'Proof' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Certificate' })).toBeNull();
  });

  it('leads to the explorer where nothing is known of the token, and closes with Escape', async () => {
    const user = draw(moons(1), { at: `/tokens/${TXID}_9` });
    const sheet = await screen.findByRole('dialog', { name: 'Unknown token' });
    expect(within(sheet).getByRole('link', { name: 'Open in the explorer' }).getAttribute('href')).toBe(
      `#/explorer/outpoint/${TXID}_9`,
    );
    await user.keyboard('{Escape}');
    expect(here()).toBe('/tokens');
  });
});

describe('a received token', () => {
  it('is untrusted until it was read, and where no inscription was found', async () => {
    draw([gift({ read: false }), gift({ outpoint: `${TXID}_1` })]);
    const [unread, empty] = within(await wall()).getAllByRole('option') as [HTMLElement, HTMLElement];
    expect(unread.getAttribute('aria-label')).toBe(`Received token ${TXID}_0`);
    expect(within(unread).getByText('Not read yet')).toBeTruthy();
    expect(within(empty).getByText('No inscription found')).toBeTruthy();
    expect(screen.getAllByText('Untrusted')).toHaveLength(2);
  });

  it('shows what its inscription says once it is read', async () => {
    const read = gift({
      origin: `${TXID}_0`,
      name: 'Gift',
      content: { sha256: HASH, contentType: 'application/x', bytes: 3, stored: false, fileName: null },
    });
    const metadata = { name: 'Gift', Eyes: 'green', app: 'other' };
    draw([read], { at: `/tokens/${TXID}_0`, tokens: { get: () => detailOf(read, { metadata }) } });
    const sheet = await screen.findByRole('dialog', { name: 'Gift' });
    expect(await within(sheet).findByText('Somebody else made this token')).toBeTruthy();
    expect(await within(sheet).findByText('green')).toBeTruthy();
    expect(within(sheet).getByText('Inscribed')).toBeTruthy();
    expect(screen.queryByText('Untrusted')).toBeNull();
  });

  it('has its traits, its collection by name and its royalties in words, as its maker sees them', async () => {
    const read = gift({ origin: `${TXID}_0`, name: 'Gift', collectionId: `${TXID}_7` });
    const metadata = { name: 'Gift', subTypeData: JSON.stringify({ mintNumber: 12 }) };
    const claims = {
      number: 12,
      quantity: 200,
      artist: 'Mira',
      royalties: [{ destination: 'mira@example.com', percentage: 0.05 }],
      collection: { outpoint: `${TXID}_7`, name: '<b>Moons</b>' },
      traits: [
        { name: 'Eyes', value: 'green', share: 0.125 },
        { name: 'Hat', value: 'none', share: null },
      ],
    };
    draw([read], { at: `/tokens/${TXID}_0`, tokens: { get: () => detailOf(read, { metadata, claims }) } });
    const sheet = await screen.findByRole('dialog', { name: 'Gift' });
    expect(await within(sheet).findByText('<b>Moons</b>')).toBeTruthy();
    expect(within(sheet).getByText('12 of 200')).toBeTruthy();
    expect(within(sheet).getByText('Mira')).toBeTruthy();
    expect(within(sheet).getByText('5% to mira@example.com, not enforced by the network')).toBeTruthy();
    const [eyes, hat] = within(within(sheet).getByRole('region', { name: 'Traits' })).getAllByRole('listitem');
    expect(eyes?.textContent).toBe('Eyesgreen12.5% have it');
    expect(hat?.textContent).toBe('Hatnone');
  });
});
