import { fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../../contract/index.ts';
import { useSelection } from '../../../lib/items/item-selection.ts';
import { usePreferences } from '../../../lib/preferences.ts';
import type { HostAnswers } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { item, TXID } from '../../../test-support/samples.ts';
import { changedMetadata, countRefused, noChange } from './editing/bulk-rules.ts';
import { ItemsView } from './items-view.tsx';
import { type GallerySort, movedBy, movedTo, orderedBy, shownBy } from './order.ts';
import { TraitChart } from './trait-chart.tsx';
import { countTraits, noSearch, searchItems, toggleTrait } from './traits.ts';

const made = (n: number, changes: Partial<Item> = {}): Item => ({
  ...item,
  id: `i${n}`,
  metadata: {
    name: `Moon ${n}`,
    description: '',
    mintNumber: n,
    traits: [
      { name: 'Metal', value: n % 4 === 0 ? 'Copper' : 'Iron' },
      { name: 'Phase', value: n % 2 === 0 ? 'Full' : 'New' },
    ],
  },
  ...changes,
});
const moons = Array.from({ length: 8 }, (_, index) => made(index + 1));

const host: HostAnswers = { files: { thumbnail: () => null } };

function View({ items }: { items: readonly Item[] }) {
  const [search, setSearch] = useState(noSearch);
  return (
    <>
      <ItemsView projectUid="p1" items={items} search={search} onSearch={setSearch} />
      <TraitChart
        items={items}
        chosen={search.traits}
        onChoose={(trait) => setSearch({ ...search, traits: toggleTrait(search.traits, trait) })}
      />
    </>
  );
}

beforeEach(() => {
  useSelection.setState({ byProject: {} });
  usePreferences.setState({ itemsView: 'gallery' });
});

describe('the traits of a project', () => {
  it('are counted without the token of the collection, the most common first', () => {
    const cover = made(9, { subType: 'collection' });
    const [metal] = countTraits([cover, ...moons]);
    expect(metal).toEqual({
      name: 'Metal',
      count: 8,
      values: [
        { value: 'Iron', count: 6, percent: 75 },
        { value: 'Copper', count: 2, percent: 25 },
      ],
    });
  });

  it('filter the items: values of one trait are alternatives, different traits must all match', () => {
    const ids = (traits: { name: string; value: string }[]) =>
      searchItems(moons, { ...noSearch, traits }).map(({ id }) => id);
    expect(ids([{ name: 'Metal', value: 'Copper' }])).toEqual(['i4', 'i8']);
    const both = ['Copper', 'Iron'].map((value) => ({ name: 'Metal', value }));
    expect(ids(both)).toHaveLength(8);
    expect(ids([...both, { name: 'Phase', value: 'New' }])).toEqual(['i1', 'i3', 'i5', 'i7']);
  });

  it('are found by text, as are numbers and file names', () => {
    const found = (text: string) => searchItems(moons, { ...noSearch, text }).length;
    expect([found('copper'), found('#3'), found('moon.png'), found('nothing')]).toEqual([2, 1, 8, 0]);
  });
});

describe('the items of a project', () => {
  it('are filtered by a chosen trait until the filter is removed', async () => {
    const user = renderPart(<View items={moons} />, { host });
    await user.click(screen.getByRole('button', { name: /^Copper/ }));
    const gallery = screen.getByRole('region', { name: 'Items' });
    expect(within(gallery).getAllByRole('article')).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Stop filtering by Metal: Copper' }));
    expect(within(screen.getByRole('region', { name: 'Items' })).getAllByRole('article').length).toBeGreaterThan(2);
  });

  it('are the same in the table as in the gallery', async () => {
    const user = renderPart(<View items={moons} />, { host });
    await user.type(screen.getByRole('textbox', { name: 'Names, files or traits' }), 'copper');
    await user.click(screen.getByRole('radio', { name: 'Table' }));
    const grid = await screen.findByRole('grid', { name: 'Items' });
    await expect.poll(() => within(grid).getAllByRole('row')).toHaveLength(3);
    expect(within(grid).getByText('Moon 4')).toBeTruthy();
  });

  it('show the royalties of a draft, which can be taken away', async () => {
    const saved: unknown[] = [];
    const royalties = [{ destination: 'me@example.com', percentage: '0.05' }];
    const draft = made(1, { metadata: { ...made(1).metadata, royalties } });
    const user = renderPart(<View items={[draft]} />, {
      host: {
        ...host,
        items: {
          update: (input) => {
            saved.push(input);
            return { ...draft, metadata: { ...draft.metadata, royalties: [] } };
          },
        },
      },
    });
    await user.click(screen.getByRole('button', { name: 'Edit Moon 1' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByRole('listitem').textContent).toContain('5% to me@example.com');
    await user.click(within(dialog).getByRole('button', { name: 'Write no royalties' }));
    expect(within(dialog).queryByRole('listitem')).toBeNull();
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await expect.poll(() => saved).toMatchObject([{ id: 'i1', metadata: { royalties: [] } }]);
  });

  it('play in their tile on a press, and stop there', async () => {
    const film = made(1, { file: { ...item.file, name: 'waves.webm', contentType: 'video/webm' } });
    const user = renderPart(<View items={[film, made(2)]} />, {
      host: { files: { thumbnail: () => null, read: () => new Blob(['film']) } },
    });
    expect(screen.queryByRole('button', { name: 'Play Moon 2' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Play Moon 1' }));
    await expect.poll(() => document.querySelector('article video')?.hasAttribute('autoplay')).toBe(true);
    await user.click(screen.getByRole('button', { name: 'Stop Moon 1' }));
    expect(document.querySelector('article video')).toBeNull();
  });

  it('draw only the tiles in sight', () => {
    renderPart(<View items={Array.from({ length: 10_000 }, (_, index) => made(index + 1))} />, { host });
    expect(screen.getAllByRole('article').length).toBeLessThan(60);
  });

  it('offer drafts and tokens to be chosen, and nothing under way', async () => {
    const token = made(2, { state: 'mined', outpoint: `${TXID}_0`, jobId: 'j1' });
    const user = renderPart(<View items={[made(1), token, made(3, { state: 'built', jobId: 'j2' })]} />, { host });
    expect(screen.getAllByRole('checkbox')).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Select all' }));
    expect(await screen.findByRole('toolbar', { name: '2 selected' })).toBeTruthy();
    // Only what fits is counted in what is done with it.
    expect(screen.getByRole('button', { name: 'Mint 1 token' })).toBeTruthy();
  });

  it('have a state badge until they are minted, and their mint number after that', () => {
    const token = made(2, { state: 'proven', outpoint: `${TXID}_0`, jobId: 'j1' });
    token.metadata = { ...token.metadata, rank: 7 };
    renderPart(<View items={[made(1), token]} />, { host });
    const [draft, done] = screen.getAllByRole('article') as [HTMLElement, HTMLElement];
    expect(within(draft).getByText('Draft')).toBeTruthy();
    expect(within(done).queryByText('Proven')).toBeNull();
    expect(within(done).getByText('#2 · Rank 7')).toBeTruthy();
  });

  it('say which is the token of the collection, as a draft and minted: it may have the picture of the first item', () => {
    const cover = made(1, { subType: 'collection' });
    const minted = made(2, { subType: 'collection', state: 'proven', outpoint: `${TXID}_0`, jobId: 'j1' });
    renderPart(<View items={[cover, minted, made(3)]} />, { host });
    const [draft, done, other] = screen.getAllByRole('article') as [HTMLElement, HTMLElement, HTMLElement];
    expect(draft.textContent).toBe('Moon 1Draft');
    expect(within(draft).getByRole('img', { name: 'Collection token' })).toBeTruthy();
    expect(done.textContent).toBe('Moon 2Collection token');
    expect(within(other).queryByRole('img', { name: 'Collection token' })).toBeNull();
  });

  it('are chosen from one to another with Shift, by mouse and by keyboard', async () => {
    const user = renderPart(<View items={moons} />, { host });
    await user.click(screen.getByRole('checkbox', { name: 'Select Moon 2' }));
    await user.keyboard('{Shift>}');
    await user.click(screen.getByRole('checkbox', { name: 'Select Moon 4' }));
    await user.keyboard('{/Shift}');
    expect(await screen.findByRole('toolbar', { name: '3 selected' })).toBeTruthy();
    screen.getByRole('group', { name: /^Tiles/ }).focus();
    await user.keyboard('{Escape}');
    await expect.poll(() => screen.queryByRole('toolbar')).toBeNull();
    await user.keyboard('{Control>}a{/Control}');
    expect(await screen.findByRole('toolbar', { name: '8 selected' })).toBeTruthy();
  });

  it('are looked at in another order without changing their places', async () => {
    const list = [made(10), made(2), made(3, { metadata: { ...made(3).metadata, mintNumber: undefined } })];
    const shown = (by: GallerySort, reversed = false) => shownBy(list, by, reversed).map(({ id }) => id);
    expect(shown('place')).toEqual(['i10', 'i2', 'i3']);
    expect(shown('number')).toEqual(['i2', 'i10', 'i3']);
    expect(shown('number', true)).toEqual(['i10', 'i2', 'i3']);
    expect(shown('name')).toEqual(['i2', 'i3', 'i10']);
    const user = renderPart(<View items={list} />, { host });
    await user.click(screen.getByRole('combobox', { name: 'Sort by' }));
    await user.click(await screen.findByRole('option', { name: 'Name' }));
    const names = () => screen.getAllByRole('article').map((tile) => tile.textContent?.match(/Moon \d+/)?.[0]);
    await expect.poll(names).toEqual(['Moon 2', 'Moon 3', 'Moon 10']);
    // Dragging would put it to another place than the one that is seen.
    expect(screen.getAllByRole('article').every((tile) => tile.getAttribute('draggable') === 'false')).toBe(true);
  });

  it('change together: names by a template, one trait for all', async () => {
    const saved: unknown[] = [];
    const updateMany = ({ changes }: { changes: { id: string; metadata: Item['metadata'] }[] }): Item[] => {
      for (const { id, metadata } of changes) saved.push([id, metadata.name, metadata.traits[0]?.value]);
      return [];
    };
    const user = renderPart(<View items={moons.slice(0, 2)} />, { host: { ...host, items: { updateMany } as never } });
    await user.click(screen.getByRole('button', { name: 'Select all drafts' }));
    await user.click(screen.getByRole('button', { name: 'Edit' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByRole('textbox', { name: 'New name' }), 'Tide #{{n}');
    await user.type(within(dialog).getByRole('combobox', { name: 'Trait' }), 'Metal');
    await user.type(within(dialog).getByRole('textbox', { name: 'Value' }), 'Tin');
    await user.click(within(dialog).getByRole('button', { name: 'Change 2 drafts' }));
    await expect
      .poll(() => saved)
      .toEqual([
        ['i1', 'Tide #1', 'Tin'],
        ['i2', 'Tide #2', 'Tin'],
      ]);
  });

  it('say before a common change how many of them it would make invalid', () => {
    const change = { ...noChange, name: 'x'.repeat(110).concat('{name}{name}{name}'), trait: '', value: '' };
    expect(countRefused(changedMetadata(moons, change))).toBe(8);
    expect(countRefused(changedMetadata(moons, { ...noChange, name: '', trait: 'type', value: 'ord' }))).toBe(8);
    const gone = changedMetadata(moons, { ...noChange, name: '', trait: 'Metal', value: '' });
    expect(gone.flatMap(({ traits }) => traits.map(({ name }) => name))).not.toContain('Metal');
  });

  it('get consecutive mint numbers and one rarity label', () => {
    const cover = made(9, { subType: 'collection' });
    const [first, ...rest] = changedMetadata(
      [cover, ...moons.map((one) => ({ ...one, subType: 'collectionItem' as const }))],
      {
        ...noChange,
        name: '{name} #{n}',
        firstNumber: 100,
        rarityLabel: ' Rare ',
      },
    );
    expect(first?.mintNumber).toBe(9);
    expect(rest.map(({ mintNumber }) => mintNumber)).toEqual([100, 101, 102, 103, 104, 105, 106, 107]);
    expect(rest[0]).toMatchObject({ name: 'Moon 1 #100', rarityLabel: 'Rare' });
  });

  it('are sorted by a value, or moved one by one', async () => {
    const list = [
      made(0, { subType: 'collection' }),
      made(10),
      made(2),
      made(1, { state: 'mined', jobId: 'j' }),
      made(3),
    ];
    expect(orderedBy(list, 'name')).toEqual(['i2', 'i3', 'i10']);
    expect(orderedBy(list, 'trait:Phase')).toEqual(['i10', 'i2', 'i3']);
    expect(movedTo(list, 'i3', 'i10')).toEqual(['i3', 'i10', 'i2']);
    expect(movedBy(list, 'i10', 1)).toEqual(['i2', 'i10', 'i3']);
    expect(movedBy(list, 'i10', -5)).toEqual(['i10', 'i2', 'i3']);
    const asked: unknown[] = [];
    const reorder = (input: unknown): void => {
      asked.push(input);
    };
    const user = renderPart(<View items={list} />, { host: { ...host, items: { reorder, list: () => list } } });
    await user.click(screen.getByRole('button', { name: 'Order drafts' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Number' }));
    await expect.poll(() => asked).toEqual([{ projectUid: 'p1', ids: ['i2', 'i3', 'i10'], renumber: false }]);
  });

  it('move in the table by the pointer and the keyboard, and keep their places where a column sorts them', async () => {
    usePreferences.setState({ itemsView: 'table' });
    const cover = made(9, { subType: 'collection' });
    const asked: unknown[] = [];
    const reorder = ({ ids }: { ids: string[] }): void => {
      asked.push(ids);
    };
    const list = [cover, ...moons.slice(0, 3)];
    const user = renderPart(<View items={list} />, { host: { ...host, items: { reorder, list: () => list } } });
    const rowOf = (name: string) => screen.getByRole('button', { name }).closest<HTMLElement>('[role="row"]');
    const drop = (from: string, to: string): void => {
      const kept = new Map<string, string>();
      const dataTransfer = {
        setData: (type: string, value: string) => kept.set(type, value),
        getData: (type: string) => kept.get(type) ?? '',
        get types() {
          return [...kept.keys()];
        },
      };
      for (const [step, name] of [
        ['dragStart', from],
        ['dragOver', to],
        ['drop', to],
      ] as const)
        fireEvent[step](rowOf(name) as HTMLElement, { dataTransfer });
    };
    expect(rowOf('Moon 1')?.getAttribute('draggable')).toBe('true');
    expect(rowOf('Moon 9')?.getAttribute('draggable')).toBeNull();
    drop('Moon 3', 'Moon 1');
    await expect.poll(() => asked).toEqual([['i3', 'i1', 'i2']]);
    // Onto the token of the collection, nothing.
    drop('Moon 3', 'Moon 9');

    const grid = screen.getByRole('grid');
    grid.focus();
    await user.keyboard('{ArrowDown}{Alt>}{ArrowDown}{/Alt}');
    expect(asked).toHaveLength(1);
    await user.keyboard('{ArrowDown}{Alt>}{ArrowDown}{/Alt}');
    await expect.poll(() => asked[1]).toEqual(['i2', 'i1', 'i3']);

    await user.click(screen.getByRole('button', { name: 'Rank' }));
    expect(screen.getByText('Sorted by a column: drafts keep their places.')).toBeDefined();
    expect(rowOf('Moon 1')?.getAttribute('draggable')).toBeNull();
    grid.focus();
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
    await user.click(screen.getByRole('button', { name: 'Show their own order' }));
    expect(screen.getByText(/^Drag a draft to its place/)).toBeDefined();
    expect(asked).toHaveLength(2);
  });

  it('are counted by state with the separators of the language', () => {
    renderPart(<View items={Array.from({ length: 1_250 }, (_, index) => made(index + 1))} />, { host });
    expect(screen.getByRole('radio', { name: 'All 1,250' })).toBeDefined();
  });
});
