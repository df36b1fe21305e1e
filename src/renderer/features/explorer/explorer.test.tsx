import { act, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import german from '../../../contract/languages/de/catalogue.ts';
import { useLive } from '../../api/live/live-store.ts';
import { addErrorTexts } from '../../i18n/errors.ts';
import { i18n } from '../../i18n/index.ts';
import type { HostAnswers } from '../../test-support/fake-host.ts';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS } from '../../test-support/samples.ts';
import { Explorer } from './explorer.tsx';

const HEIGHT = 2;
const hashAt = (height: number): string => String(height).repeat(64);
const TIP = { height: HEIGHT, hash: hashAt(HEIGHT), time: Date.UTC(2026, 0, 31, 12) };
const unknown = refusal({ code: 'not-found', message: 'The node knows no such block.' });

function row(height: number, hash = hashAt(height)) {
  const time = 1_769_860_800;
  return {
    hash,
    height,
    time,
    transactions: 1,
    size: 200 + height,
    merkleRoot: 'ab'.repeat(32),
    fees: 0,
    value: 0,
    payingBytes: 0,
  };
}

const blockAt = ({ height }: { height: number }) => {
  if (height > HEIGHT) throw unknown;
  return row(height);
};
const block = ({ hash }: { hash: string }) => {
  const height = [0, 1, 2].find((each) => hashAt(each) === hash);
  if (height === undefined) throw unknown;
  const facts = { confirmations: 1, version: 1, nonce: 0, difficulty: 1, previous: null, next: null };
  return { ...row(height), ...facts, found: 1, rows: [] };
};
const explorer = { blockAt, block };
const get = () => Promise.reject(refusal({ code: 'not-found', message: 'The node does not know this transaction.' }));
const chain: HostAnswers = { explorer, transactions: { get } };
const field = () => screen.getByRole('textbox', { name: /^Height, hash/ });
const rows = () =>
  within(screen.getByRole('grid', { name: 'Blocks' }))
    .getAllByRole('row')
    .slice(1);

describe('the explorer', () => {
  it('keeps the shape of the list while nothing is known of the chain', async () => {
    renderPart(<Explorer />, { host: { explorer: { height: () => new Promise<never>(() => {}) } } });
    expect(await screen.findByRole('status', { name: /^Loading/ })).toBeDefined();
    expect(screen.queryByRole('grid')).toBeNull();
  });

  it('says why nothing is known of the chain', async () => {
    const refused = refusal({
      code: 'upstream-unreachable',
      message: 'No upstream answered.',
      hint: 'Check the address.',
    });
    renderPart(<Explorer />, { host: { explorer: { height: () => Promise.reject(refused) } } });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('No upstream answered.');
    expect(alert.textContent).toContain('Check the address.');
  });

  it('says in the language of the page what is wrong with an address', async () => {
    const failure = new PlanchetError('wallet.address-checksum', { prefix: 'm/n' }).toFailure();
    const validateAddress = () => ({ valid: false, own: false, failure, contact: null, resembles: null });
    addErrorTexts('de', german.errors);
    await i18n.changeLanguage('de');
    try {
      const user = renderPart(<Explorer />, { host: { ...chain, wallet: { validateAddress } }, live: { tip: TIP } });
      const search = within(screen.getByRole('search'));
      await user.type(search.getByRole('textbox'), `${ADDRESS.slice(0, -1)}m{Enter}`);
      expect(await screen.findByText(german.errors['wallet.address-checksum']?.message as string)).toBeTruthy();
    } finally {
      await i18n.changeLanguage('en');
    }
  });

  it('lists the blocks, the newest first, with what their headers say', async () => {
    renderPart(<Explorer />, { host: chain, live: { tip: TIP } });
    await within(screen.getByRole('grid', { name: 'Blocks' })).findByText('202 B');
    const lines = rows().map((row) =>
      within(row)
        .getAllByRole('gridcell')
        .map((cell) => cell.textContent),
    );
    expect(lines.map((cells) => cells.find((text) => /^\d$/.test(text ?? '')))).toEqual(['2', '1', '0']);
    expect(
      within(rows()[0] as HTMLElement)
        .getByRole('link', { name: '2' })
        .getAttribute('href'),
    ).toBe(`#/explorer/block/${hashAt(2)}`);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('sorts by height, reads the headers of the rows then in sight, and counts the tokens of each block', async () => {
    const HIGH = 3_000;
    const asked: number[] = [];
    const counted = ({ height }: { height: number }) => {
      asked.push(height);
      return row(height, String(height).padStart(64, '0'));
    };
    const user = renderPart(<Explorer />, {
      host: { explorer: { blockAt: counted }, tokens: { blocks: () => [{ height: 1, tokens: 500 }] } },
      live: { tip: { height: HIGH, hash: String(HIGH).padStart(64, '0'), time: TIP.time } },
    });
    await screen.findByRole('link', { name: '3,000' });
    expect(asked).not.toContain(0);
    await user.click(screen.getByRole('button', { name: 'Height' }));
    await screen.findByText('201 B');
    const second = rows()[1] as HTMLElement;
    expect(within(second).getByRole('link', { name: '1' })).toBeDefined();
    expect(within(second).getByText('500')).toBeDefined();
  });

  it('reads the blocks of another branch of the same height that came while headers were on their way', async () => {
    const OTHER = 'cd'.repeat(32);
    const held = Promise.withResolvers<void>();
    let branch: string = hashAt(HEIGHT);
    const branches = async ({ height }: { height: number }) => {
      if (branch !== OTHER) await held.promise;
      return branch === OTHER && height === HEIGHT ? { ...row(height, OTHER), size: 999 } : row(height);
    };
    renderPart(<Explorer />, { host: { explorer: { blockAt: branches } }, live: { tip: TIP } });
    await screen.findByRole('grid', { name: 'Blocks' });
    branch = OTHER;
    act(() => useLive.setState({ tip: { ...TIP, hash: OTHER } }));
    held.resolve();
    expect(await screen.findByText('999 B')).toBeDefined();
  });

  it('names once above the list why its blocks could not be read, however many there are', async () => {
    const refused = refusal({ code: 'upstream-error', message: 'The node answers 503.' });
    renderPart(<Explorer />, { host: { explorer: { blockAt: () => Promise.reject(refused) } }, live: { tip: TIP } });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The node answers 503.');
    expect(rows()).toHaveLength(3);
    expect(screen.getAllByText(/The node answers 503\./)).toHaveLength(1);
  });

  it('opens the block of a height, a hash or a transaction that the node knows', async () => {
    const user = renderPart(<Explorer />, { host: chain, live: { tip: TIP } });
    await user.type(field(), '1{Enter}');
    await expect.poll(() => location.hash).toBe(`#/explorer/block/${hashAt(1)}`);
    await user.clear(field());
    await user.type(field(), `${hashAt(2)}{Enter}`);
    await expect.poll(() => location.hash).toBe(`#/explorer/block/${hashAt(2)}`);
  });

  it('says once what was not found, and what could be found instead', async () => {
    const user = renderPart(<Explorer />, { host: chain, live: { tip: TIP } });
    await user.type(field(), '7{Enter}');
    expect(await screen.findByText('There is no block at this height.')).toBeDefined();
    expect(screen.getByText('The newest block is 2.')).toBeDefined();
    await user.clear(field());
    await user.type(field(), `${'ef'.repeat(32)}{Enter}`);
    expect(await screen.findAllByText('The node knows neither a block nor a transaction with this id.')).toHaveLength(
      1,
    );
    expect(screen.queryByText('There is no block at this height.')).toBeNull();
    await user.clear(field());
    await user.type(field(), 'what is this{Enter}');
    expect(await screen.findByText(/^This is no height, hash/)).toBeDefined();
  });

  it('tells a search that could not be asked from one that found nothing, and asks again on demand', async () => {
    let reachable = false;
    const refused = refusal({ code: 'upstream-error', message: 'The node answers 503.' });
    const user = renderPart(<Explorer />, {
      host: {
        explorer: { blockAt: (at) => (reachable || at.height !== 1 ? blockAt(at) : Promise.reject(refused)) },
      },
      live: { tip: { ...TIP, height: 0, hash: hashAt(0) } },
    });
    await user.type(field(), '1{Enter}');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The node answers 503.');
    reachable = true;
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    await expect.poll(() => location.hash).toBe(`#/explorer/block/${hashAt(1)}`);
  });
});
