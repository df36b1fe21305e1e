import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { type Miner, type MinerTest, PlanchetError } from '../../../contract/index.ts';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { answerPoints } from './answer-chart.tsx';
import { MinersPage } from './miners-page.tsx';
import { ratePoints } from './rate-chart.tsx';
import { minerOf, quoteOf } from './test-miner.ts';

const dear = minerOf({
  id: 'a',
  name: 'Dear',
  builtIn: true,
  quote: quoteOf({ policies: { limitancestorcount: 25 } }),
});
const cheap = minerOf({
  id: 'b',
  name: 'Cheap',
  kind: 'arc',
  quote: quoteOf({ standard: { satoshis: 50, bytes: 1_000 }, policies: { limitancestorcount: 50, ownrule: true } }),
});
const third = minerOf({ id: 'c', name: 'Third' });

function open(miners: Miner[], more: object = {}) {
  return renderPart(<MinersPage />, { host: { miners: { list: () => miners, quotes: () => [], ...more } } });
}

const cells = (name: string) =>
  within(screen.getByRole('row', { name: new RegExp(`^${name}`) }))
    .getAllByRole('cell')
    .map((cell) => cell.textContent);

describe('the miners on their page', () => {
  it('are compared by rates for 1,000 bytes, with the lowest marked and differences tinted', async () => {
    open([dear, cheap]);
    expect(await screen.findByRole('columnheader', { name: /Dear/ })).toBeTruthy();
    expect(cells('Standard bytes')).toEqual(['500 sat', '50 satLowest']);
    expect(cells('Data bytes')).toEqual(['500 sat', '500 sat']);
    expect(cells('Unmined parents in a row')).toEqual(['25', '50']);
    expect(screen.getByRole('row', { name: /^Unmined parents/ }).dataset.differs).toBe('true');
    expect(screen.getByText('limitancestorcount')).toBeDefined();
    // A policy without a text in Planchet has the miner's name.
    expect(cells('ownrule')).toEqual(['–', 'yes']);
  });

  it('have limits with their units', async () => {
    open([
      minerOf({
        quote: quoteOf({ policies: { dustlimitfactor: 300, dustrelayfee: 150, maxstdtxvalidationduration: 5_000 } }),
      }),
    ]);
    await screen.findByText('Dust limit');
    expect(cells('Dust limit')).toEqual(['300%']);
    expect(cells('Rate that defines dust')).toEqual(['150 sat/kB']);
    expect(cells('Time to check a usual transaction')).toEqual(['5 s']);
  });

  it('show only the policies that differ on request', async () => {
    const alike = { maxtxsizepolicy: 10_000_000 };
    const user = open([
      minerOf({ id: 'a', name: 'One', quote: quoteOf({ policies: { ...alike, limitancestorcount: 25 } }) }),
      minerOf({ id: 'b', name: 'Two', quote: quoteOf({ policies: { ...alike, limitancestorcount: 50 } }) }),
    ]);
    expect(await screen.findByRole('row', { name: /^Largest transaction/ })).toBeDefined();
    await user.click(screen.getByRole('switch', { name: 'Only differences' }));
    expect(screen.queryByRole('row', { name: /^Largest transaction/ })).toBeNull();
    expect(screen.getByRole('row', { name: /^Unmined parents/ })).toBeDefined();
  });

  it('show their response times by hour, and their failures', async () => {
    const hour = (at: number, meanMs: number, failed = 0) => ({ at, succeeded: 3, failed, meanMs, slowestMs: meanMs });
    const hours = { a: [hour(0, 20), hour(7_200_000, 40, 1)], b: [hour(3_600_000, 90)] };
    open([dear, cheap], { hours: ({ id }: { id: 'a' | 'b' }) => hours[id] });
    const label = 'Requests of the last 7 days. Dear: 6 answered, 1 failed; Cheap: 3 answered, 0 failed';
    expect(await screen.findByRole('img', { name: label })).toBeDefined();
    expect(answerPoints([hours.a, hours.b]).map(({ values }) => values)).toEqual([
      [20, null],
      [null, 90],
      [40, null],
    ]);
  });

  it('say why the quote of one that is off could not be read', async () => {
    const full = new PlanchetError('general.disk-full');
    const refresh = (): never => {
      throw refusal(full.toFailure());
    };
    const user = open([{ ...dear, enabled: false }], { refresh });
    await user.click(await screen.findByRole('button', { name: 'Actions for Dear' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Read the quote' }));
    expect(await screen.findByText(full.message)).toBeTruthy();
  });

  it('are asked once if their quote is unknown, and not again after a failure', async () => {
    const refresh = vi.fn(() => dear);
    const failed = minerOf({
      id: 'd',
      name: 'Broken',
      quote: null,
      failure: { id: 'merchant.no-miner', code: 'upstream-timeout', message: 'It did not answer.' } as never,
    });
    open([{ ...dear, quote: null }, failed], { refresh });
    expect(await screen.findByText('Does not answer')).toBeTruthy();
    await expect.poll(() => refresh.mock.calls.length).toBe(1);
    expect(refresh).toHaveBeenCalledWith({ id: 'a' });
  });

  it('are not asked while they have no address, and say so', async () => {
    const refresh = vi.fn(() => dear);
    const failure = { code: 'upstream-unreachable', message: 'No address is set.' } as never;
    open(
      [
        { ...dear, url: '', quote: null, failure },
        { ...cheap, quote: null },
      ],
      { refresh },
    );
    expect(await screen.findByText('No address')).toBeTruthy();
    expect(screen.queryByText('No address is set.')).toBeNull();
    const link = screen.getByRole('link', { name: 'Enter its address' });
    expect(link.getAttribute('href')).toBe('#/settings?find=mapiUrl');
    expect(screen.queryByText('What they allow')).toBeNull();
    await expect.poll(() => refresh.mock.calls).toEqual([[{ id: 'b' }]]);
  });

  it('show who signs their replies: a known key, a pinned one, nobody', async () => {
    const publicKey = `02${'11'.repeat(32)}`;
    const at = { endpoint: 'https://miner.example/mapi', since: 0 };
    const signed = (id: string, pinned: boolean, signer: string | null) =>
      minerOf({
        id,
        name: id,
        quote: quoteOf({ source: { ...at, publicKey: signer, pinned } }),
        key: { ...at, publicKey: signer, pinned, refused: null, changes: [] },
      });
    const arc = minerOf({ id: 'd', name: 'd', kind: 'arc' });
    open([signed('a', false, publicKey), signed('b', true, publicKey), signed('c', false, null), arc]);
    expect(await screen.findByText('Signed, key known')).toBeTruthy();
    expect(cells('Signature')).toEqual([
      'Signed, key known',
      'Signed, key pinned',
      'Not signed',
      'This protocol signs nothing',
    ]);
  });

  it('show that one asks for an API key, since it does answer', async () => {
    const failure = { id: 'merchant.api-key-missing', code: 'api-key-missing', message: 'It asks for a key.' } as const;
    open([minerOf({ failure })]);
    expect(await screen.findByText('Asks for a key')).toBeTruthy();
    expect(screen.queryByText('Does not answer')).toBeNull();
  });

  it('lead from a missing key to where it is entered: the dialog of that miner, or the setting of the built-in one', async () => {
    const failure = new PlanchetError('merchant.api-key-missing').toFailure();
    const user = open([minerOf({ id: 'a', name: 'Keyed', failure })]);
    await user.click(await screen.findByRole('button', { name: 'Enter the key' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Change Keyed' }));
    expect(dialog.getByLabelText('API key').getAttribute('data-autofocus')).toBe('true');
    cleanup();
    open([minerOf({ id: 'b', builtIn: true, failure })]);
    const link = await screen.findByRole('link', { name: 'Enter the key' });
    expect(link.getAttribute('href')).toContain('find=apiKey');
  });

  it('show that replies signed with another key are refused, and which lists are empty', async () => {
    const failure = { id: 'merchant.key-changed', code: 'merchant-key-changed', message: 'Another key.' } as never;
    open([minerOf({ failure, quote: quoteOf({ policies: { skipscriptflags: [] } }) })]);
    expect(await screen.findByText('Answers refused')).toBeTruthy();
    expect(within(screen.getByRole('row', { name: /^Signature/ })).getByText('Another key')).toBeTruthy();
    expect(screen.getByRole('row', { name: 'Script rules it does not ask for skipscriptflags none' })).toBeTruthy();
    expect(screen.queryByText('Does not answer')).toBeNull();
  });

  it('show when a quote expires, and that one has expired', async () => {
    const now = Date.now();
    const one = minerOf({ id: 'a', name: 'One', quote: quoteOf({ expiresAt: now + 330_000 }) });
    open([one, minerOf({ id: 'b', name: 'Two', quote: quoteOf({ expiresAt: now - 1 }) })]);
    expect(await screen.findByRole('row', { name: /^Quote ends in 5 min\. ended$/ })).toBeTruthy();
    const [current, past] = within(screen.getByRole('row', { name: /^Standard bytes/ })).getAllByText('500 sat');
    expect(current?.parentElement?.dataset.expired).toBeUndefined();
    expect(past?.parentElement?.dataset.expired).toBe('');
  });

  it('are tested step by step: the failed step shows its fix, those after it are skipped', async () => {
    const step = (name: MinerTest['steps'][0]['step'], outcome: MinerTest['steps'][0]['outcome']) => {
      const failure = new PlanchetError('merchant.answer-refused', { status: 404, reason: '' }).toFailure();
      const sentence = { key: 'test.not-tried', values: {} };
      return outcome === 'failed'
        ? { step: name, outcome, message: failure.message, sentence: null, milliseconds: 4, failure }
        : { step: name, outcome, message: '', sentence, milliseconds: 0, failure: null };
    };
    const steps = [step('address', 'passed'), step('quote', 'failed'), step('signature', 'skipped')];
    let answer: (test: MinerTest) => void = () => undefined;
    const test = () => new Promise<MinerTest>((resolve) => (answer = resolve));
    const user = open([third], { test });
    await user.click(await screen.findByRole('button', { name: 'Actions for Third' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Test' }));
    expect((await screen.findByText('Testing…')).closest('[role=status]')?.textContent).toContain('Test of Third');
    answer({ address: third.url, kind: 'mapi', passed: false, steps, quote: null });
    const report = await screen.findByRole('region', { name: 'Test of Third' });
    expect(report.textContent).toContain('A step failed.');
    expect(report.textContent).toContain('Check that the address of the miner');
    expect(
      within(report)
        .getAllByText(/^(Passed|Failed|Skipped)$/)
        .map((one) => one.textContent),
    ).toEqual(['Passed', 'Failed', 'Skipped']);
    expect(screen.queryByText('Testing…')).toBeNull();
  });

  it('can be disabled and moved, except that the built-in one stays first and cannot be removed', async () => {
    const update = vi.fn(() => dear);
    const reorder = vi.fn(() => []);
    const user = open([dear, cheap, third], { update, reorder });
    await user.click(await screen.findByRole('switch', { name: 'Use Dear' }));
    expect(update).toHaveBeenCalledWith({ id: 'a', enabled: false });
    await user.click(screen.getByRole('button', { name: 'Actions for Dear' }));
    expect(await screen.findByRole('menuitem', { name: 'Test' })).toBeTruthy();
    expect(screen.queryByRole('menuitem', { name: 'Remove' })).toBeNull();
    await user.keyboard('{Escape}');
    await user.click(screen.getByRole('button', { name: 'Actions for Third' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Try earlier' }));
    await expect.poll(() => reorder.mock.calls.length).toBe(1);
    expect(reorder).toHaveBeenCalledWith({ ids: ['c', 'b'] });
  });

  it('are reordered by the arrow keys and by dragging, separately from built-in ones', async () => {
    const fourth = minerOf({ id: 'd', name: 'Fourth' });
    const reorder = vi.fn(() => []);
    const user = open([dear, cheap, third, fourth], { reorder });
    const grip = await screen.findByRole('button', { name: 'Order of Cheap' });
    expect(screen.queryByRole('button', { name: 'Order of Dear' })).toBeNull();
    grip.focus();
    await user.keyboard('{ArrowLeft}');
    await user.keyboard('{ArrowRight}');
    await expect.poll(() => reorder.mock.calls).toEqual([[{ ids: ['c', 'b', 'd'] }]]);
    const dataTransfer = new DataTransfer();
    fireEvent.dragStart(grip, { dataTransfer });
    const target = screen.getByRole('columnheader', { name: /Fourth/ }).firstElementChild as HTMLElement;
    fireEvent.dragOver(target, { dataTransfer });
    fireEvent.drop(target, { dataTransfer });
    await expect.poll(() => reorder.mock.calls.length).toBe(2);
    expect(reorder).toHaveBeenLastCalledWith({ ids: ['c', 'd', 'b'] });
    const first = screen.getByRole('columnheader', { name: /Dear/ }).firstElementChild as HTMLElement;
    fireEvent.drop(first, { dataTransfer });
    expect(reorder).toHaveBeenCalledTimes(2);
  });

  it('are removed at once, and restored by a button', async () => {
    const remove = vi.fn(() => undefined);
    const restore = vi.fn(() => cheap);
    const user = open([cheap], { remove, restore });
    await user.click(await screen.findByRole('button', { name: 'Actions for Cheap' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Remove' }));
    await expect.poll(() => remove.mock.calls.length).toBe(1);
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    await expect.poll(() => restore.mock.calls.length).toBe(1);
  });

  it('are added once the address is valid, with the typed key', async () => {
    const add = vi.fn(() => third);
    const user = open([], { add });
    const [button] = await screen.findAllByRole('button', { name: 'Add a miner' });
    await user.click(button as HTMLElement);
    const save = await screen.findByRole<HTMLButtonElement>('button', { name: 'Add' });
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Mine');
    await user.type(screen.getByRole('textbox', { name: 'Address' }), 'ftp://x');
    expect(save.disabled).toBe(true);
    expect(screen.getByText(/Write an http or https address/)).toBeTruthy();
    await user.clear(screen.getByRole('textbox', { name: 'Address' }));
    await user.type(screen.getByRole('textbox', { name: 'Address' }), 'https://m.example/mapi');
    await user.type(screen.getByLabelText('API key'), 'secret');
    await user.click(save);
    await expect.poll(() => add.mock.calls.length).toBe(1);
    expect(add).toHaveBeenCalledWith({
      name: 'Mine',
      kind: 'mapi',
      url: 'https://m.example/mapi',
      apiKey: 'secret',
      keyStyle: 'bearer',
      pinnedKey: null,
      enabled: true,
    });
  });

  it('keep a rate in the chart until they change it', () => {
    const past = (from: number, until: number, satoshis: number) => ({
      ...quoteOf({ standard: { satoshis, bytes: 1_000 } }),
      from,
      until,
    });
    expect(ratePoints([[past(10, 20, 5), past(30, 40, 7)], [past(20, 40, 1)]], 50)).toEqual([
      { at: 10, values: [5, null] },
      { at: 20, values: [5, 1] },
      { at: 30, values: [7, 1] },
      { at: 40, values: [7, 1] },
      { at: 50, values: [7, 1] },
    ]);
  });
});

describe('the list of known miners', () => {
  const preset = {
    id: 'arcade',
    name: 'Arcade',
    operator: 'BSV',
    kind: 'arcade',
    url: 'https://a.example',
    needsKey: false,
    isAdded: false,
  } as const;

  it('adds one as it is, or with a key in the form', async () => {
    const add = vi.fn(() => cheap);
    const own = { ...preset, id: 'own', name: 'Own', url: 'https://b.example', needsKey: true };
    open([dear], { add, presets: () => [preset, own, { ...preset, id: 'c', name: 'There', isAdded: true }] });
    fireEvent.click(await screen.findByRole('button', { name: 'Add Arcade' }));
    await expect.poll(() => add.mock.calls.length).toBe(1);
    expect(add).toHaveBeenCalledWith(
      expect.objectContaining({ name: 'Arcade', kind: 'arcade', url: 'https://a.example' }),
    );
    expect(screen.queryByRole('button', { name: 'Add There' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Add Own' }));
    expect(await screen.findByDisplayValue('https://b.example')).toBeTruthy();
    expect(add).toHaveBeenCalledTimes(1);
  });

  it('is shown first if no miner is set up yet', async () => {
    const place = async (miners: Miner[]): Promise<number> => {
      open(miners, { presets: () => [preset] });
      const offered = await screen.findByRole('heading', { name: 'Known miners' });
      const compared = await screen.findByRole('heading', { name: 'Quotes side by side' });
      const found = offered.compareDocumentPosition(compared) & Node.DOCUMENT_POSITION_FOLLOWING;
      cleanup();
      return found;
    };
    expect(await place([{ ...dear, url: '', quote: null }])).toBeTruthy();
    expect(await place([dear])).toBeFalsy();
  });
});
