import { screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { List } from './list.tsx';
import type { ListColumn } from './rows.ts';

interface Coin {
  id: string;
  name: string;
  value: number;
}

const coins: readonly Coin[] = [
  { id: 'a', name: 'Copper', value: 30 },
  { id: 'b', name: 'Tin', value: 10 },
  { id: 'c', name: '=Silver', value: 20 },
];
const many: readonly Coin[] = Array.from({ length: 5_000 }, (_, n) => ({ id: `n${n}`, name: `Coin ${n}`, value: n }));
const columns: readonly ListColumn<Coin>[] = [
  { key: 'name', title: 'Name', width: '1fr', value: ({ name }) => name },
  { key: 'value', title: 'Value', width: '1fr', value: ({ value }) => value },
  { key: 'secret', title: 'Secret', width: '1fr', value: ({ id }) => id, extra: true },
];
const idOf = ({ id }: Coin): string => id;

function draw(rows: readonly Coin[], more: Partial<Parameters<typeof List<Coin>>[0]> = {}) {
  return renderPart(
    <List name="coins" label="Coins" rows={rows} idOf={idOf} columns={columns} filter="Find coins" {...more} />,
  );
}

const grid = () => screen.getByRole('grid', { name: 'Coins' });
const names = () =>
  within(grid())
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('gridcell')[1]?.textContent);
const chosen = () => within(grid()).queryAllByRole('row', { selected: true }).length;

describe('a list', () => {
  it('sorts by a column, and in reverse on a second click', async () => {
    const user = draw(coins);
    await user.click(screen.getByRole('button', { name: 'Value' }));
    expect(names()).toEqual(['Tin', '=Silver', 'Copper']);
    await user.click(screen.getByRole('button', { name: 'Value' }));
    expect(names()).toEqual(['Copper', '=Silver', 'Tin']);
    expect(screen.getByRole('columnheader', { name: 'Value' }).getAttribute('aria-sort')).toBe('descending');
  });

  it('shows headings for consecutive rows, and none once they are sorted', async () => {
    const told = vi.spyOn(console, 'error');
    const user = draw([...coins].reverse(), { headingOf: ({ value }) => (value > 15 ? 'Large' : 'Small') });
    const lines = () =>
      within(grid())
        .getAllByRole('row')
        .slice(1)
        .map((row) => ({ text: row.textContent, top: Number.parseInt(row.style.top, 10) }))
        .toSorted((a, b) => a.top - b.top);
    expect(lines()).toEqual([
      { text: 'Large', top: 0 },
      { text: '=Silver20', top: 32 },
      { text: 'Small', top: 72 },
      { text: 'Tin10', top: 104 },
      { text: 'Large', top: 144 },
      { text: 'Copper30', top: 176 },
    ]);
    await user.click(screen.getByRole('button', { name: 'Value' }));
    expect(lines().map(({ text }) => text)).toEqual(['Tin10', '=Silver20', 'Copper30']);
    // React logs an error for two headings with one key.
    expect(told).not.toHaveBeenCalled();
    told.mockRestore();
  });

  it('shows the rows that contain the typed text, or says that there are none', async () => {
    const user = draw(coins);
    const field = screen.getByRole('textbox', { name: 'Find coins' });
    await user.type(field, 'TIN');
    expect(names()).toEqual(['Tin']);
    await user.type(field, 'x');
    expect(screen.getByText('Nothing matches.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Clear the filter' }));
    expect(names()).toHaveLength(3);
  });

  it('renders only the visible rows of many, and follows the keyboard', async () => {
    const opened: string[] = [];
    const user = draw(many, { onOpen: ({ name }) => opened.push(name) });
    expect(grid().getAttribute('aria-rowcount')).toBe('5001');
    expect(names().length).toBeGreaterThan(9);
    expect(names().length).toBeLessThan(40);
    grid().focus();
    await user.keyboard('{Home}{ArrowDown}{ArrowDown}{Enter}');
    expect(opened).toEqual(['Coin 2']);
  });

  it('selects by keyboard: a row with Space, a range with Shift, all with Ctrl+A, none with Escape', async () => {
    const user = draw(coins);
    grid().focus();
    await user.keyboard('{Home} ');
    expect(chosen()).toBe(1);
    await user.keyboard('{Shift>}{ArrowDown}{/Shift}');
    expect(chosen()).toBe(2);
    await user.keyboard('{Control>}a{/Control}');
    expect(chosen()).toBe(3);
    await user.keyboard('{Escape}');
    expect(chosen()).toBe(0);
  });

  it('selects a range by mouse with Shift', async () => {
    const user = draw(coins);
    await user.click(screen.getByRole('checkbox', { name: 'Select row 1' }));
    await user.keyboard('{Shift>}');
    await user.click(screen.getByRole('checkbox', { name: 'Select row 3' }));
    await user.keyboard('{/Shift}');
    expect(chosen()).toBe(3);
  });

  it('does not count selected rows that are gone, so that “Select all rows” selects those that are left', async () => {
    function Part() {
      const [rows, setRows] = useState(coins);
      const run = (gone: readonly Coin[]) => setRows(rows.filter((row) => !gone.includes(row)));
      return (
        <List name="coins" label="Coins" rows={rows} idOf={idOf} columns={columns} bulk={[{ label: 'Melt', run }]} />
      );
    }
    const user = renderPart(<Part />);
    for (const n of [1, 2]) await user.click(screen.getByRole('checkbox', { name: `Select row ${n}` }));
    await user.click(screen.getByRole('button', { name: 'Melt' }));
    const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all rows' });
    expect([all.checked, all.indeterminate]).toEqual([false, false]);
    await user.click(all);
    expect([all.checked, chosen()]).toEqual([true, 1]);
  });

  it('offers actions on the selected rows, and disables those that apply to none of them', async () => {
    const run = vi.fn();
    const user = draw(coins, {
      bulk: [
        { label: 'Melt', fits: ({ value }) => value > 15, run },
        { label: 'Gild', fits: () => false, run },
      ],
    });
    await user.click(screen.getByRole('checkbox', { name: 'Select all rows' }));
    const bar = screen.getByRole('toolbar', { name: 'Selected rows' });
    expect(bar.textContent).toContain('3 selected');
    expect(within(bar).getByRole<HTMLButtonElement>('button', { name: 'Gild' }).disabled).toBe(true);
    await user.click(within(bar).getByRole('button', { name: 'Melt' }));
    expect(run.mock.calls).toEqual([[[coins[0], coins[2]]]]);
  });

  it('exports the visible columns of the selected rows, and escapes formulas', async () => {
    const files: Blob[] = [];
    const create = vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
      files.push(file as Blob);
      return 'blob:list';
    });
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
    const user = draw(coins);
    await user.click(screen.getByRole('checkbox', { name: 'Select row 3' }));
    await user.click(screen.getByRole('button', { name: 'Export selected' }));
    await user.click(await screen.findByRole('menuitem', { name: 'As CSV' }));
    await expect.poll(() => files.length).toBe(1);
    expect(await files[0]?.text()).toBe("name,value\r\n'=Silver,20\r\n");
    create.mockRestore();
    click.mockRestore();
  });

  it.each(['Export selected', 'Copy names'])(
    'says why “%s” failed if the host has not what is missing',
    async (action) => {
      const user = draw(coins, {
        copies: { label: 'Copy names', of: ({ name }) => name },
        complete: () => Promise.reject(refusal(new PlanchetError('general.disk-full').toFailure())),
      });
      await user.click(screen.getByRole('checkbox', { name: 'Select row 2' }));
      await user.click(screen.getByRole('button', { name: action }));
      if (action === 'Export selected') await user.click(await screen.findByRole('menuitem', { name: /CSV/ }));
      const region = screen.getByRole('region', { name: 'Notifications' });
      expect(await within(region).findByText(new PlanchetError('general.disk-full').message)).toBeTruthy();
    },
  );

  it('shows its default columns if none of the chosen ones exists any more', () => {
    usePreferences.getState().setColumns('coins', ['gone']);
    draw(coins);
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['', 'Name', 'Value']);
  });

  it('shows a hidden column on request, and remembers that', async () => {
    const user = draw(coins);
    expect(screen.queryByRole('columnheader', { name: 'Secret' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Columns' }));
    await user.click(await screen.findByRole('checkbox', { name: 'Secret' }));
    expect(screen.getByRole('columnheader', { name: 'Secret' })).toBeTruthy();
    expect(localStorage.getItem('planchet-preferences')).toContain('secret');
  });
});
