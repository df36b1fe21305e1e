import { expect, it } from 'vitest';
import { useRecent } from './recent.ts';

const page = (to: string) => ({ label: to, place: 'Explorer', to });

it('what was opened, searched and chosen after a clearing stays when that is taken back', () => {
  const { addOpened, addSearch, addChosen, clear } = useRecent.getState();
  for (const to of ['/a', '/b']) addOpened('main', page(to));
  for (const text of ['moon', 'sun']) addSearch('main', text);
  for (const id of ['mint', 'mint', 'send']) addChosen(id);
  const restore = clear('main');
  expect(useRecent.getState()).toMatchObject({ opened: { main: [] }, searches: { main: [] }, chosen: {} });
  for (const to of ['/c', '/a']) addOpened('main', page(to));
  addSearch('main', 'star');
  addChosen('mint');
  restore();
  const { opened, searches, chosen } = useRecent.getState();
  expect(opened.main?.map(({ to }) => to)).toEqual(['/a', '/c', '/b']);
  expect(searches.main).toEqual(['star', 'sun', 'moon']);
  expect(Object.entries(chosen)).toEqual([
    ['send', 1],
    ['mint', 3],
  ]);
});
