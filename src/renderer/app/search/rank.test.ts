import { expect, it } from 'vitest';
import { rank } from './rank.ts';

const view = { label: 'Settings', group: 'Go to' };
const setting = { label: 'RPC port', description: 'rpcPort', keywords: 'Settings of the gateway', group: 'Settings' };
const project = { label: 'Set of moons', group: 'Projects', fits: true };
const labels = (text: string, entries = [setting, project, view]) =>
  rank(entries, text).flatMap((group) => [`# ${group.group}`, ...group.entries.map(({ label }) => label)]);

it('puts the heading with the best entry first', () => {
  expect(labels('settings')).toEqual(['# Go to', 'Settings', '# Settings', 'RPC port', '# Projects', 'Set of moons']);
  expect(labels('set')).toEqual(['# Projects', 'Set of moons', '# Go to', 'Settings', '# Settings', 'RPC port']);
});

it('finds by key, by meaning and with a wrong letter, and leaves out what does not fit', () => {
  for (const text of ['rpcport', 'gateway', 'rcp port'])
    expect(labels(text, [setting, view]), text).toContain('RPC port');
  expect(labels('moonlight', [setting, view])).toEqual([]);
});

it('keeps what the host found by an id', () => {
  expect(labels('ab12', [{ ...project, label: 'Copper moon' }])).toEqual(['# Projects', 'Copper moon']);
});

it('puts the same before its beginning, and that before a part', () => {
  const named = ['A Sun', 'Sunday', 'Sun', 'Tsunami'].map((label) => ({ label, group: 'Tokens' }));
  expect(labels('sun', named)).toEqual(['# Tokens', 'Sun', 'Sunday', 'A Sun', 'Tsunami']);
});

it('shows a few of each heading', () => {
  const many = Array.from({ length: 50 }, (_, index) => ({ label: `Moon ${index}`, group: 'Tokens' }));
  expect(labels('moon', many)).toHaveLength(7);
});
