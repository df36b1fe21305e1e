import { cleanup, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import type { Item } from '../../../contract/index.ts';
import { type HostAnswers, refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo, item, job, project, TXID } from '../../test-support/samples.ts';
import { Tokens } from './tokens.tsx';

const TEXT = { sha256: 'ef'.repeat(32), name: 'moon.bin', contentType: 'application/octet-stream', bytes: 100 };
const moons = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({
    ...item,
    id: `i${n}`,
    file: TEXT,
    state: 'proven',
    jobId: 'j1',
    outpoint: `${TXID}_${n}`,
    metadata: { name: `Moon ${n}`, description: '', traits: [{ name: 'Phase', value: n % 2 === 0 ? 'Full' : 'New' }] },
    createdAt: item.createdAt - n,
  }));

const output = (index: number) => ({
  index,
  satoshis: 1,
  address: ADDRESS,
  scriptAsm: '',
  inscription: null,
  data: null,
});
const transaction = {
  txid: TXID,
  version: 1,
  isMalleable: false,
  originalDigest: [],
  computing: [],
  hex: '',
  size: 200,
  fee: 10,
  blockHash: null,
  blockHeight: 5,
  confirmations: 1,
  inputCount: 0,
  outputCount: 3,
  inputs: [],
  outputs: [output(0), output(1), output(2)],
};

function draw(count: number, { at = '/tokens', ...host }: HostAnswers & { at?: string } = {}) {
  const view = (
    <Route path="/tokens/:outpoint?">
      {({ outpoint }) => <Tokens {...(outpoint === undefined ? {} : { outpoint })} />}
    </Route>
  );
  return renderPart(view, {
    at,
    live: { app: appInfo },
    host: {
      projects: { list: () => [{ ...project, itemCount: count }] },
      items: { list: () => moons(count) },
      mint: { get: () => ({ ...job, state: 'proven', txid: TXID, blockHeight: 5, blockHash: 'aa'.repeat(32) }) },
      transactions: { get: () => transaction },
      node: { call: () => ({ result: { confirmations: 1 }, error: null }) },
      wallet: { validateAddress: () => ({ valid: true, failure: null, own: true }), coins: { list: () => [] } },
      ...host,
    },
  });
}

const wall = () => screen.findByRole('listbox', { name: 'Your tokens' });
const here = (): string => location.hash.slice(1);

describe('the wall of tokens', () => {
  it('draws only what is in sight of ten thousand', async () => {
    draw(10_000);
    const shown = within(await wall()).getAllByRole('option');
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.length).toBeLessThan(60);
    expect(shown[0]?.getAttribute('aria-setsize')).toBe('10000');
    expect(screen.getByText('10,000 tokens')).toBeTruthy();
  });

  it('is moved through with the arrow keys, and Enter opens a token', async () => {
    const user = draw(3);
    (await wall()).focus();
    await user.keyboard('{ArrowRight}{ArrowRight}');
    const active = document.getElementById((await wall()).getAttribute('aria-activedescendant') ?? '');
    expect(active?.getAttribute('aria-label')).toBe('Moon 1, Gallery, Proven');
    await user.keyboard('{Enter}');
    expect(here()).toBe(`/tokens/${TXID}_1`);
    expect(await screen.findByRole('dialog', { name: 'Moon 1' })).toBeTruthy();
  });

  it('is filtered by what is typed, says when nothing fits, and forgets the filter', async () => {
    const user = draw(3);
    await user.type(await screen.findByRole('textbox', { name: 'Find by name, trait or outpoint' }), 'phase new');
    expect(await screen.findByText('1 of 3')).toBeTruthy();
    expect(within(await wall()).getAllByRole('option')).toHaveLength(1);
    await user.type(screen.getByRole('textbox', { name: 'Find by name, trait or outpoint' }), ' moon');
    await user.type(screen.getByRole('textbox', { name: 'Find by name, trait or outpoint' }), ' sun');
    await user.click(await screen.findByRole('button', { name: 'Clear the filter' }));
    expect(await screen.findByText('3 tokens')).toBeTruthy();
  });

  it('is filtered by a value of a trait', async () => {
    const user = draw(3);
    await user.click(await screen.findByRole('combobox', { name: 'Traits' }));
    await user.click(await screen.findByRole('option', { name: 'Phase: Full (2)' }));
    expect(await screen.findByText('2 of 3')).toBeTruthy();
  });

  it('leads to the projects while there is no token', async () => {
    draw(0);
    expect(await screen.findByText('No tokens yet')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to projects' }).getAttribute('href')).toBe('#/projects');
  });

  it('says why the tokens cannot be read, and tries again', async () => {
    const list = vi.fn(() => {
      throw refusal({ code: 'upstream-error', message: 'The service is away.', hint: 'Try later.' });
    });
    const user = draw(1, { projects: { list } });
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    expect(screen.getByText('The service is away.')).toBeTruthy();
    await expect.poll(() => list.mock.calls.length).toBe(2);
  });
});

describe('the sheet of a token', () => {
  it('says who owns it, its traits, and its way from the mint to now', async () => {
    draw(3, { at: `/tokens/${TXID}_1` });
    const sheet = await screen.findByRole('dialog', { name: 'Moon 1' });
    expect(await within(sheet).findByText('Your wallet')).toBeTruthy();
    expect(within(sheet).getByText('New')).toBeTruthy();
    const steps = within(within(sheet).getByRole('region', { name: 'Provenance' })).getAllByRole('listitem');
    expect(steps.map((step) => step.textContent)).toEqual([
      expect.stringContaining('Inscribed and sent'),
      expect.stringContaining('Block 5'),
      expect.stringContaining('Proof checked'),
      expect.stringContaining('Held now'),
    ]);
  });

  it('says that a token has moved on once its output is spent', async () => {
    draw(1, { at: `/tokens/${TXID}_0`, node: { call: () => ({ result: null, error: null }) } });
    expect(await screen.findByText(/^It has moved on from/)).toBeTruthy();
    expect(screen.queryByText('Held now')).toBeNull();
  });

  it('hands over the content as a file without a type', async () => {
    const saved: [string, string][] = [];
    const create = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => `blob:${(blob as Blob).type}`);
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push([this.download, this.href]);
    });
    try {
      const user = draw(1, {
        at: `/tokens/${TXID}_0`,
        files: { read: () => new Blob(['<script>'], { type: 'text/html' }) },
      });
      await user.click(await screen.findByRole('button', { name: 'Download' }));
      await expect.poll(() => saved).toEqual([['moon.bin', 'blob:application/octet-stream']]);
    } finally {
      create.mockRestore();
      click.mockRestore();
    }
  });

  it('hands over the proof as one file, and offers none before a block holds the token', async () => {
    const asked: unknown[] = [];
    const saved: string[] = [];
    const create = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:proof');
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    const bundle = (input: unknown) => {
      asked.push(input);
      return { bundle: new Blob(['<!doctype html>']), tokens: 1 };
    };
    try {
      const user = draw(1, { at: `/tokens/${TXID}_0`, tokens: { bundle } });
      await user.click(await screen.findByRole('button', { name: 'Proof' }));
      await expect.poll(() => saved).toEqual(['Moon 0 proof.html']);
      expect(asked).toEqual([{ outpoint: `${TXID}_0` }]);
    } finally {
      create.mockRestore();
      click.mockRestore();
    }
    cleanup();
    draw(1, {
      at: `/tokens/${TXID}_0`,
      items: { list: () => moons(1).map((one) => ({ ...one, state: 'seen' as const })) },
    });
    await screen.findByRole('button', { name: 'Download' });
    expect(screen.queryByRole('button', { name: 'Proof' })).toBeNull();
  });

  it('leads to the explorer where no project knows the token, and closes with Escape', async () => {
    const user = draw(1, { at: `/tokens/${TXID}_9` });
    const sheet = await screen.findByRole('dialog', { name: 'Unknown token' });
    expect(within(sheet).getByRole('link', { name: 'Open in the explorer' }).getAttribute('href')).toBe(
      `#/explorer/outpoint/${TXID}_9`,
    );
    await user.keyboard('{Escape}');
    expect(here()).toBe('/tokens');
  });
});

describe('a received token', () => {
  const gift = {
    outpoint: `${TXID}_0`,
    satoshis: 1,
    kind: 'token' as const,
    address: ADDRESS,
    label: '',
    height: 5,
    confirmations: 1,
    state: 'spendable' as const,
    lockedBy: null,
  };
  const wallet = { coins: { list: () => [gift] } };

  it('is untrusted while no inscription is found', async () => {
    draw(0, { wallet });
    const tile = within(await wall()).getByRole('option', { name: `Received token ${TXID}_0` });
    expect(await within(tile).findByText('No inscription found')).toBeTruthy();
    expect(within(tile).getByText('Untrusted')).toBeTruthy();
  });

  it('shows what its inscription says once it is read', async () => {
    const inscription = { contentType: 'application/x', bytes: 3, sha256: 'ab'.repeat(32), metadata: { name: 'Gift' } };
    const get = () => ({ ...transaction, outputs: [{ ...output(0), inscription }] });
    draw(0, { wallet, transactions: { get }, at: `/tokens/${TXID}_0` });
    const sheet = await screen.findByRole('dialog', { name: 'Received token' });
    expect(await within(sheet).findByText('Somebody else made this token')).toBeTruthy();
    expect(within(sheet).getByText('Inscribed')).toBeTruthy();
    expect(screen.queryByText('Untrusted')).toBeNull();
  });

  it('is said to be unknown where the wallet cannot be read', async () => {
    const list = () => {
      throw refusal({ code: 'vault-locked', message: 'The wallet is locked.', hint: 'Unlock it.' });
    };
    draw(1, { wallet: { coins: { list } } });
    expect(await screen.findByText('The wallet is locked.')).toBeTruthy();
    expect(within(await wall()).getAllByRole('option')).toHaveLength(1);
  });
});
