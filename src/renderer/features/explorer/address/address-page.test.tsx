import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { AddressPage } from './address-page.tsx';

const ADDRESS = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
const hashAt = (height: number): string => String(height).padStart(64, '0');
const live = { tip: { height: 2, hash: hashAt(2), time: Date.UTC(2026, 0, 31) } };
const wallet: HostAnswers['wallet'] = {
  validateAddress: () => ({ valid: true, own: false, failure: null, contact: null, resembles: null }),
};

/** Three blocks; the one at height 1 pays the address. */
const explorer: HostAnswers['explorer'] = {
  receipts: ({ heights = [] }) => ({
    receipts: heights
      .filter((height) => height === 1)
      .map((height) => ({ outpoint: `${hashAt(7)}_0`, satoshis: 5, height, time: 1_769_860_800, unspent: true })),
    skipped: 0,
  }),
};

describe('the page of an address', () => {
  it('says once how far it searched, and what it found', async () => {
    renderPart(<AddressPage address={ADDRESS} />, { host: { explorer, wallet }, live });
    expect(await screen.findByText('All 3 blocks were searched, from 2 down to 0.')).toBeTruthy();
    expect(screen.getAllByText(/searched/)).toHaveLength(1);
    expect(screen.getByText('Unspent', { selector: '[role="gridcell"] *' })).toBeTruthy();
  });

  it('claims nothing where no block could be read, and names the cause once', async () => {
    const refused = refusal({ code: 'upstream-error', message: 'The node answers 503.' });
    renderPart(<AddressPage address={ADDRESS} />, {
      host: { explorer: { receipts: () => Promise.reject(refused) }, wallet },
      live,
    });
    expect((await screen.findByRole('alert')).textContent).toContain('The node answers 503.');
    expect(screen.getAllByText(/The node answers 503\./)).toHaveLength(1);
    expect(screen.getAllByText('No block was searched yet.')).toHaveLength(2);
    expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual(['–', '–', '–']);
  });
});
