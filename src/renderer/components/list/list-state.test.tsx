import { act, cleanup, screen } from '@testing-library/react';
import { useRef } from 'react';
import { expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo } from '../../test-support/samples.ts';
import { List } from './list.tsx';
import { useKeptScroll, useListState } from './list-state.ts';

const columns = [{ key: 'name', title: 'Name', width: '1fr', value: ({ name }: { name: string }) => name }];
const rows = ['Copper', 'Tin', 'Zinc'].map((name) => ({ name }));
const idOf = ({ name }: { name: string }): string => name;
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);
const metals = <List name="metals" label="Metals" rows={rows} idOf={idOf} columns={columns} filter="Find" />;

it('a list keeps its filter and sort order per page and network', async () => {
  const user = renderPart(metals, { at: '/a', live: { app: appInfo } });
  await user.type(screen.getByRole('textbox', { name: 'Find' }), 'n');
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await user.click(screen.getByRole('button', { name: 'Name' }));
  await expect.poll(names).toEqual(['Zinc', 'Tin']);
  cleanup();
  renderPart(metals, { at: '/a', live: { app: appInfo } });
  expect(names()).toEqual(['Zinc', 'Tin']);
  cleanup();
  renderPart(metals, { at: '/b', live: { app: appInfo } });
  expect(names()).toHaveLength(3);
  cleanup();
  renderPart(metals, { at: '/a', live: { app: { ...appInfo, network: 'test' } } });
  expect(names()).toHaveLength(3);
});

function Chosen({ list }: { list: string }) {
  const [chosen, setChosen] = useListState(list, 'none');
  return (
    <button type="button" onClick={() => setChosen(`${chosen}+`)}>
      {chosen}
    </button>
  );
}

it('a list gets its own state when only its name changes', async () => {
  const user = renderPart(<Chosen list="x" />);
  await user.click(screen.getByRole('button'));
  expect(screen.getByRole('button').textContent).toBe('none+');
  cleanup();
  renderPart(<Chosen list="y" />);
  expect(screen.getByRole('button').textContent).toBe('none');
});

it('a list ignores state stored in another form', () => {
  sessionStorage.setItem('planchet-list sandbox x', '["old"]');
  renderPart(<Chosen list="x" />, { live: { app: appInfo } });
  expect(screen.getByRole('button').textContent).toBe('none');
});

function Box({ long }: { long: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useKeptScroll(box, 'box');
  return (
    <div ref={box} data-testid="box">
      {long && <p>More</p>}
    </div>
  );
}

it('a list restores its scroll position', () => {
  renderPart(<Box long />);
  const box = screen.getByTestId('box');
  box.scrollTop = 700;
  act(() => void box.dispatchEvent(new Event('scroll')));
  cleanup();
  renderPart(<Box long />);
  expect(screen.getByTestId('box').scrollTop).toBe(700);
});
