import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { refusal } from '../../test-support/fake-host.ts';
import { TXID } from '../../test-support/samples.ts';
import { asked, draw, gift, HASH, here, moon, moons, search, wall } from './test-tokens.tsx';

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
