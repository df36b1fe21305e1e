import { expect, it } from 'vitest';
import { usePreferences } from './preferences.ts';
import { useRecent } from './recent.ts';

/** Stores this as another window of the browser does, which has not seen what this one stored. */
function storeElsewhere(name: string, state: object): void {
  localStorage.setItem(name, JSON.stringify({ state, version: 0 }));
  window.dispatchEvent(new StorageEvent('storage', { key: name }));
}

const stored = (name: string) => JSON.parse(localStorage.getItem(name) ?? '{}').state;

it('a preference saved in this window keeps the console lines of another window', () => {
  const lines = { main: ['getblockcount'] };
  storeElsewhere('planchet-preferences', { ...usePreferences.getState(), consoleLines: lines });
  usePreferences.getState().toggleNav();
  expect(stored('planchet-preferences')).toMatchObject({ navCollapsed: true, consoleLines: lines });
});

it('a search in this window is added to those of another window', () => {
  storeElsewhere('planchet-recent', { opened: {}, searches: { main: ['moon'] }, chosen: {} });
  useRecent.getState().addSearch('main', 'sun');
  expect(stored('planchet-recent').searches.main).toEqual(['sun', 'moon']);
});
