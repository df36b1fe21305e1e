import { expect, it } from 'vitest';
import { type Ranked, rank } from './rank.ts';

const view = { label: 'Settings', group: 'Go to' };
const setting = { label: 'RPC port', description: 'rpcPort', keywords: 'Settings of the gateway', group: 'Settings' };
const project = { label: 'Set of moons', group: 'Projects', fits: true };
const labels = (text: string, entries: readonly Ranked[] = [setting, project, view]) =>
  rank(entries, text).flatMap((group) => [`# ${group.group}`, ...group.entries.map(({ label }) => label)]);

it('the search puts the heading with the best entry first', () => {
  expect(labels('settings')).toEqual(['# Go to', 'Settings', '# Projects', 'Set of moons', '# Settings', 'RPC port']);
  expect(labels('set')).toEqual(['# Projects', 'Set of moons', '# Go to', 'Settings', '# Settings', 'RPC port']);
});

it('the search finds by key, by meaning and with a wrong letter, and leaves out what does not match', () => {
  for (const text of ['rpcport', 'gateway', 'rcp port'])
    expect(labels(text, [setting, view]), text).toContain('RPC port');
  expect(labels('moonlight', [setting, view])).toEqual([]);
});

it('the search keeps what the host found by an id', () => {
  const found = { ...project, label: 'Copper moon' };
  expect(labels('ab12', [found])).toEqual(['# Projects', 'Copper moon']);
  expect(labels('ab12', [{ label: 'Copy', description: 'ab12', group: 'Actions' }, found])[0]).toBe('# Projects');
});

it('the search ranks an equal name above complete words, those above the start of a word, and that above a part', () => {
  const named = ['A Moon', 'Moonday', 'Moon', 'Fullmoon'].map((label) => ({ label, group: 'Tokens' }));
  expect(labels('moon', named)).toEqual(['# Tokens', 'Moon', 'A Moon', 'Moonday', 'Fullmoon']);
});

it('the search lists a limited number of entries per heading', () => {
  const many = Array.from({ length: 50 }, (_, index) => ({ label: `Moon ${index}`, group: 'Tokens' }));
  expect(labels('moon', many)).toHaveLength(7);
});

it('the search finds entries by other names, and ignores filler words of a question', () => {
  const restart = { label: 'Restart ZMQ feed', group: 'Services' };
  const fees = { label: 'What miners ask', group: 'Actions', words: ['fee', 'gas fee'] };
  expect(labels('fee', [restart, fees])).toEqual(['# Actions', 'What miners ask', '# Services', 'Restart ZMQ feed']);
  expect(labels('What is the fee?', [restart, fees])).toEqual(labels('fee', [restart, fees]));
  expect(labels('the', [{ label: 'The Moons', group: 'Projects' }])).toEqual(['# Projects', 'The Moons']);
});

it('the search ranks entries that are chosen more often higher, but not above better matches', () => {
  const [often, seldom, exact] = [
    { label: 'Sun by night', group: 'Tokens', chosen: 3 },
    { label: 'Sun by day', group: 'Projects', chosen: 1 },
    { label: 'Sun', group: 'Items' },
  ];
  expect(labels('sun', [seldom, often, exact])).toEqual([
    '# Items',
    'Sun',
    '# Tokens',
    'Sun by night',
    '# Projects',
    'Sun by day',
  ]);
});

it('the search looks for a short word at the start of words only, and finds traits by their complete words', () => {
  const own = { label: 'Show transactions that failed', group: 'Actions', words: ['what went wrong'] };
  const worn = { label: 'Low tide #1', description: 'Tides · Hat: Crown', group: 'Items', fits: true };
  expect(labels('hat', [own])).toEqual([]);
  for (const text of ['hat', 'crown', 'Hat: Crown']) expect(labels(text, [own, worn])[0], text).toBe('# Items');
  const crowned = { label: 'Uncrowned', group: 'Actions' };
  expect(labels('crown', [crowned, worn])).toEqual(['# Items', 'Low tide #1', '# Actions', 'Uncrowned']);
});

it('the search finds what has most of the words of a wish that nothing has together', () => {
  const fees = { label: 'Fees of the miners', group: 'Actions', words: ['cost'] };
  const miners = { label: 'Choose the miners', group: 'Actions', words: ['change miner', 'miner'] };
  expect(labels('the cheapest miner', [fees, miners])).toEqual([
    '# Actions',
    'Choose the miners',
    'Fees of the miners',
  ]);
  expect(labels('cheapest beer', [fees, miners])).toEqual([]);
  expect(labels('double-spend', [{ label: 'Double spends', group: 'Documents' }])).toHaveLength(2);
});

it('the search lists what has all words above what has one, wherever they are said', () => {
  const gateway = { label: 'Gateway', group: 'Go to' };
  const document = { label: 'Limits', description: 'Gateway', group: 'Documents', explains: true };
  expect(labels('gateway limits', [gateway, document])).toEqual(['# Documents', 'Limits']);
  const call = { label: 'POST /api/items/update', group: 'Documents', explains: true, isCall: true };
  expect(labels('items update', [{ label: 'Items', group: 'Go to' }, call])).toEqual([
    '# Documents',
    'POST /api/items/update',
    '# Go to',
    'Items',
  ]);
});

it('the search finds parts of names that are written together by their first letters', () => {
  const setting = { label: 'Node', group: 'Settings', words: ['bitcoinRpcUrl'] };
  expect(labels('rpc', [setting])).toEqual(['# Settings', 'Node']);
  expect(labels('url', [setting])).toEqual(['# Settings', 'Node']);
  expect(labels('coi', [setting])).toEqual([]);
  expect(labels('map', [{ label: 'mAPI', group: 'Miners' }])).toEqual(['# Miners', 'mAPI']);
});

it('the search lets what is chosen often rise among matches of its kind', () => {
  const keys = [
    { label: 'Fee rate', group: 'Settings' },
    { label: 'Highest fee', group: 'Settings', chosen: 1 },
    { label: 'Feed of blocks', group: 'Settings', chosen: 50 },
  ];
  expect(labels('fee', keys)).toEqual(['# Settings', 'Fee rate', 'Highest fee', 'Feed of blocks']);
  const chosen = keys.map((key) => ({ ...key, chosen: (key.chosen ?? 0) * 6 }));
  expect(labels('fee', chosen)).toEqual(['# Settings', 'Highest fee', 'Fee rate', 'Feed of blocks']);
});

it('the search ranks calls of an interface after everything else that has the word', () => {
  const call = { label: 'POST /api/items/update', group: 'Documents', explains: true, isCall: true };
  expect(labels('update', [call, { label: 'Look for updates', group: 'Actions' }])[0]).toBe('# Actions');
});

it('the search ranks an entry that does something above one that explains it', () => {
  const document = { label: 'Keys', group: 'Documents', explains: true };
  expect(labels('keys', [document, { label: 'Keys', group: 'Go to' }])).toEqual([
    '# Go to',
    'Keys',
    '# Documents',
    'Keys',
  ]);
});
