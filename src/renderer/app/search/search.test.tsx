import { act, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SearchAnswer, SearchHit } from '../../../contract/index.ts';
import { useRecent } from '../../lib/recent.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo, project, TXID } from '../../test-support/samples.ts';
import { closeSearch, openSearch } from './open-search.ts';
import { Search } from './search.tsx';

const here = (): string => location.hash.slice(1);
const hit = (kind: SearchHit['kind'], id: string, name = ''): SearchHit => ({
  kind,
  id,
  name,
  place: '',
  projectUid: null,
  file: null,
});
const nothing: SearchAnswer = { hits: [], tried: [] };

afterEach(() => {
  act(closeSearch);
  localStorage.clear();
  useRecent.setState({ opened: {}, searches: {} });
});

async function open(
  find: (input: { text: string }) => SearchAnswer | Promise<SearchAnswer> = () => nothing,
  live: object = {},
) {
  const user = renderPart(<Search />, {
    host: { projects: { list: () => [project] }, search: { find } },
    live: { app: appInfo, ...live },
  });
  act(openSearch);
  await screen.findByRole('listbox');
  return { user, field: screen.getByRole('combobox') };
}

const options = () => screen.queryAllByRole('option').map((option) => option.textContent);
const marked = () => screen.getByRole('option', { selected: true }).textContent;

describe('the search', () => {
  it('opens the first match with Enter right after typing', async () => {
    const { user } = await open();
    await user.keyboard('documents that were given up{Enter}');
    await expect.poll(here).toBe('/writer/dead');
  });

  it('delays an Enter until the host has replied', async () => {
    const answered = Promise.withResolvers<SearchAnswer>();
    const { user } = await open(({ text }) => (text === 'gallery' ? answered.promise : nothing));
    await user.keyboard('gallery{Enter}');
    expect(screen.getByRole('combobox')).toBeTruthy();
    answered.resolve({ ...nothing, hits: [hit('project', 'p1', 'Gallery')] });
    await expect.poll(here).toBe('/projects/p1');
  });

  it('drops a delayed Enter when the text changes', async () => {
    const { user } = await open(({ text }) => (text === 'gal' ? new Promise<never>(() => {}) : nothing));
    await user.keyboard('gal{Enter}x');
    await expect.poll(() => screen.queryByText(/Nothing found/)).not.toBeNull();
    expect(here()).toBe('/');
  });

  it.each([':', '_', '.'])('opens an outpoint written with %s without waiting for the host', async (sign) => {
    const { user, field } = await open(() => new Promise<never>(() => {}));
    await user.click(field);
    await user.paste(` ${TXID.toUpperCase()}${sign}3 `);
    await user.keyboard('{Enter}');
    await expect.poll(here).toBe(`/explorer/outpoint/${TXID}_3`);
  });

  it('opens a pasted txid even if the host cannot be reached', async () => {
    const { user, field } = await open(() => {
      throw new Error('down');
    });
    await user.click(field);
    await user.paste(TXID);
    await user.keyboard('{Enter}');
    await expect.poll(here).toBe(`/tx/${TXID}`);
  });

  it('opens the block if an id is the hash of a block', async () => {
    const { user, field } = await open(() => ({ ...nothing, hits: [{ ...hit('block', TXID, '105'), place: TXID }] }));
    await user.click(field);
    await user.paste(TXID);
    expect(await screen.findByText('Block 105')).toBeTruthy();
    expect(options()).toHaveLength(1);
    await user.keyboard('{Enter}');
    await expect.poll(here).toBe(`/explorer/block/${TXID}`);
  });

  it('lists for an unknown id which sources were asked and which could not be', async () => {
    const { user, field } = await open(() => ({
      hits: [],
      tried: [
        { kind: 'block', state: 'none' },
        { kind: 'transaction', state: 'none' },
        { kind: 'document', state: 'failed' },
      ],
    }));
    await user.click(field);
    await user.paste(TXID);
    expect(await screen.findByText('Looked for blocks and transactions of the node.')).toBeTruthy();
    expect(screen.getByText(/Could not be asked for documents/)).toBeTruthy();
  });

  it('moves the selection by arrow keys across headings and keeps it when more is found', async () => {
    const answered = Promise.withResolvers<SearchAnswer>();
    const { user } = await open(({ text }) => (text === 'gal' ? answered.promise : nothing));
    await user.keyboard('gal');
    await screen.findByText('My tokens');
    await user.keyboard('{ArrowUp}');
    const chosen = marked();
    answered.resolve({ ...nothing, hits: [hit('project', 'p1', 'Gal')] });
    await screen.findByText('Gal');
    expect(marked()).toBe(chosen);
    const after = options().indexOf(chosen) + 1;
    await user.keyboard('{ArrowDown}');
    expect(marked()).toBe(options()[after % options().length]);
  });

  it('finds error codes', async () => {
    const { user, field } = await open();
    await user.type(field, 'store-locked');
    await expect.poll(options).toHaveLength(1);
    await user.keyboard('{Enter}');
    await expect.poll(here).toBe('/errors/store-locked');
  });

  it('lists recent pages first, and clears them on request', async () => {
    const find = ({ text }: { text: string }) =>
      text === 'gallery' ? { ...nothing, hits: [hit('project', 'p1', 'Gallery')] } : nothing;
    const { user } = await open(find);
    await user.keyboard('gallery{Enter}');
    await expect.poll(here).toBe('/projects/p1');
    act(openSearch);
    const last = within(screen.getByRole('group', { name: 'Last opened' }));
    expect(last.getAllByRole('option').map((option) => option.textContent)).toEqual(['GalleryProject']);
    await user.click(screen.getByText('gallery'));
    expect((screen.getByRole('combobox') as HTMLInputElement).value).toBe('gallery');
    await user.clear(screen.getByRole('combobox'));
    await user.click(screen.getByRole('button', { name: 'Clear recent' }));
    expect(screen.queryByRole('group', { name: 'Last opened' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Undo', hidden: true }));
    expect(await screen.findByRole('group', { name: 'Last opened' })).toBeTruthy();
  });

  it('keeps the recent pages of each network separate', async () => {
    useRecent.getState().addOpened('main', { label: 'Treasure', place: '', to: '/projects/x' });
    await open();
    expect(screen.queryByText('Treasure')).toBeNull();
  });

  it('merges commands of several features under one heading', async () => {
    const wallet = { state: 'unlocked', address: ADDRESS } as never;
    await open(undefined, { wallet });
    const actions = within(screen.getByRole('group', { name: 'Actions' }));
    expect(actions.getAllByRole('option').map((option) => option.querySelector('span + span')?.textContent)).toEqual(
      expect.arrayContaining([
        'Collapse or expand the navigation',
        'Copy the wallet address',
        'New project',
        'Mine a block',
      ]),
    );
  });

  it('offers no command to mine a block on a real network', async () => {
    const { user } = await open(undefined, { app: { ...appInfo, network: 'main' } });
    await user.keyboard('mine a block');
    expect(screen.queryByText('Mine a block')).toBeNull();
  });

  it('cancels requests for an earlier text', async () => {
    const aborted = vi.fn();
    const { user } = await open();
    const original = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      request.signal.addEventListener('abort', aborted);
      return new Promise<never>(() => {});
    };
    await user.keyboard('ab');
    await expect.poll(() => aborted.mock.calls.length).toBeGreaterThan(0);
    globalThis.fetch = original;
  });
});
