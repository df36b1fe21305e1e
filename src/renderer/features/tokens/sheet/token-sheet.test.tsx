import { cleanup, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { TXID } from '../../../test-support/samples.ts';
import { detailOf, draw, gift, HASH, here, moon, moons, saving, wall } from '../test-tokens.tsx';

describe('the sheet of a token', () => {
  it('says who owns it, its traits with their share, and its provenance from the mint to now', async () => {
    const rarity = { total: 4, traits: [{ name: 'Phase', count: 3 }] };
    draw(moons(3), { at: `/tokens/${TXID}_1`, tokens: { get: () => detailOf(moon(1), { rarity }) } });
    const sheet = await screen.findByRole('dialog', { name: 'Moon 1' });
    expect(await within(sheet).findByText('Your wallet')).toBeTruthy();
    expect(within(sheet).getByText('New')).toBeTruthy();
    // what only programs need is folded
    expect(within(sheet).getByText('Outpoint').closest('details')?.open).toBe(false);
    expect(await within(sheet).findByText('3 of 4')).toBeTruthy();
    const steps = within(within(sheet).getByRole('region', { name: 'Provenance' })).getAllByRole('listitem');
    expect(steps.map((step) => step.textContent)).toEqual([
      expect.stringMatching(/^Inscribed.*Block 5/),
      'In your wallet now',
    ]);
    expect(within(sheet).getByRole('link', { name: 'Send' }).getAttribute('href')).toBe(`#/tokens/${TXID}_1/send`);
  });

  it('names who made it once, also where its traits name them', async () => {
    const traits = [
      { name: 'artist', value: 'Mira' },
      { name: 'Sky', value: 'Dusk' },
    ];
    const token = moon(0, { traits });
    const rarity = { total: 9, traits: traits.map(({ name }, at) => ({ name, count: 9 - at })) };
    const claims = { ...detailOf(token).claims, artist: 'Mira', traits: [{ name: 'Sky', value: 'Dusk', share: null }] };
    draw([token], { at: `/tokens/${TXID}_0`, tokens: { get: () => detailOf(token, { rarity, claims }) } });
    expect(await screen.findByText('Mira')).toBeTruthy();
    const plates = within(screen.getByRole('region', { name: 'Traits' })).getAllByRole('listitem');
    expect(plates.map(({ textContent }) => textContent)).toEqual(['SkyDusk8 of 9']);
  });

  it('says that a token has moved on once its output is spent, and offers no sending', async () => {
    draw([moon(0, { owned: false, address: null })], {
      at: `/tokens/${TXID}_0`,
      transactions: { spenders: () => [{ index: 0, state: 'spent', by: null }] },
    });
    expect(await screen.findByText(/^It has moved on from/)).toBeTruthy();
    expect(await screen.findByText('Moved on')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Send' })).toBeNull();
  });

  it('says why its provenance is not known, and shows the rest', async () => {
    const failure = { code: 'upstream-unreachable' as const, message: 'No node answers.' };
    draw(moons(1), {
      at: `/tokens/${TXID}_0`,
      tokens: { get: () => detailOf(moon(0), { provenance: [], failure }) },
    });
    expect(await screen.findByText('No node answers.')).toBeTruthy();
    expect(screen.getByText('Phase')).toBeTruthy();
  });

  it('saves the content as a file without a content type', async () => {
    await saving(async (saved) => {
      const user = draw(moons(1), {
        at: `/tokens/${TXID}_0`,
        files: { read: () => new Blob(['<script>'], { type: 'text/html' }) },
      });
      await user.click(await screen.findByRole('button', { name: 'Download' }));
      await expect.poll(() => saved).toEqual([['moon.bin', 'blob:application/octet-stream']]);
    });
  });

  it('hands over the proof and the certificate, and offers none before a block holds the token', async () => {
    const outpoints: unknown[] = [];
    await saving(async (saved) => {
      const user = draw(moons(1), {
        at: `/tokens/${TXID}_0`,
        tokens: {
          bundle: (input) => {
            outpoints.push(input);
            return { bundle: new Blob(['<!doctype html>']), tokens: 1 };
          },
          certificate: (input) => {
            outpoints.push(input);
            return new Blob(['png']);
          },
        },
      });
      await user.click(await screen.findByRole('button', { name: 'Proof' }));
      await user.click(await screen.findByRole('button', { name: 'Certificate' }));
      await expect
        .poll(() => saved.map(([name]) => name).sort())
        .toEqual(['Moon 0 certificate.pdf', 'Moon 0 proof.html']);
      expect(outpoints).toEqual([{ outpoint: `${TXID}_0` }, { outpoint: `${TXID}_0`, language: 'en' }]);
    });
    cleanup();
    draw([moon(0, { state: 'seen' })], { at: `/tokens/${TXID}_0` });
    await screen.findByRole('button', { name: 'Download' });
    expect(screen.queryByRole('button', { name: 'Proof' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Certificate' })).toBeNull();
  });

  it('leads to the explorer where nothing is known of the token, and closes with Escape', async () => {
    const user = draw(moons(1), { at: `/tokens/${TXID}_9` });
    const sheet = await screen.findByRole('dialog', { name: 'Unknown token' });
    expect(within(sheet).getByRole('link', { name: 'Open in the explorer' }).getAttribute('href')).toBe(
      `#/explorer/outpoint/${TXID}_9`,
    );
    await user.keyboard('{Escape}');
    expect(here()).toBe('/tokens');
  });
});

describe('a received token', () => {
  it('is untrusted until it was read, and where no inscription was found', async () => {
    draw([gift({ read: false }), gift({ outpoint: `${TXID}_1` })]);
    const [unread, empty] = within(await wall()).getAllByRole('option') as [HTMLElement, HTMLElement];
    expect(unread.getAttribute('aria-label')).toBe(`Received token ${TXID}_0`);
    expect(within(unread).getByText('Not read yet')).toBeTruthy();
    expect(within(empty).getByText('No inscription found')).toBeTruthy();
    expect(screen.getAllByText('Untrusted')).toHaveLength(2);
  });

  it('shows what its inscription says once it is read', async () => {
    const read = gift({
      origin: `${TXID}_0`,
      name: 'Gift',
      content: { sha256: HASH, contentType: 'application/x', bytes: 3, stored: false, fileName: null },
    });
    const metadata = { name: 'Gift', Eyes: 'green', app: 'other' };
    draw([read], { at: `/tokens/${TXID}_0`, tokens: { get: () => detailOf(read, { metadata }) } });
    expect(await screen.findByRole('option', { name: 'Received token Gift', hidden: true })).toBeTruthy();
    const sheet = await screen.findByRole('dialog', { name: 'Gift' });
    expect(await within(sheet).findByText('Somebody else made this token')).toBeTruthy();
    expect(await within(sheet).findByText('green')).toBeTruthy();
    expect(within(sheet).getByText('Inscribed')).toBeTruthy();
    expect(screen.queryByText('Untrusted')).toBeNull();
  });

  it('has its traits, its collection by name and its royalties in words, as its maker sees them', async () => {
    const read = gift({ origin: `${TXID}_0`, name: 'Gift', collectionId: `${TXID}_7` });
    const metadata = { name: 'Gift', subTypeData: JSON.stringify({ mintNumber: 12 }) };
    const claims = {
      number: 12,
      quantity: 200,
      artist: 'Mira',
      royalties: [{ destination: 'mira@example.com', percentage: 0.05 }],
      collection: { outpoint: `${TXID}_7`, name: '<b>Moons</b>' },
      traits: [
        { name: 'Eyes', value: 'green', share: 0.125 },
        { name: 'Hat', value: 'none', share: null },
      ],
    };
    draw([read], { at: `/tokens/${TXID}_0`, tokens: { get: () => detailOf(read, { metadata, claims }) } });
    const sheet = await screen.findByRole('dialog', { name: 'Gift' });
    expect(await within(sheet).findByText('<b>Moons</b>')).toBeTruthy();
    expect(within(sheet).getByText('12 of 200')).toBeTruthy();
    expect(within(sheet).getByText('Mira')).toBeTruthy();
    expect(within(sheet).getByText('5% to mira@example.com, not enforced by the network')).toBeTruthy();
    const [eyes, hat] = within(within(sheet).getByRole('region', { name: 'Traits' })).getAllByRole('listitem');
    expect(eyes?.textContent).toBe('Eyesgreen12.5% have it');
    expect(hat?.textContent).toBe('Hatnone');
  });
});
