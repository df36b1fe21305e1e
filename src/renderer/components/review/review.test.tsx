import { act, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { phrase, type Review as ReviewData, reviewCheck } from '../../../contract/index.ts';
import german from '../../../contract/languages/de/catalogue.ts';
import { i18n } from '../../i18n/index.ts';
import { addLanguage } from '../../i18n/languages.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, review } from '../../test-support/samples.ts';
import { Review } from './review.tsx';

const [token] = review.outputs as [ReviewData['outputs'][number]];
const tokens = Array.from({ length: 12 }, (_, index) => ({ ...token, index, itemId: `i${index}` }));
const names = new Map(tokens.map(({ itemId, index }) => [itemId as string, `Moon ${index}`]));
const outputs = () => within(screen.getByRole('list', { name: 'Out' })).getAllByRole('listitem');

describe('the review of a transaction', () => {
  it('draws equal tokens as one', () => {
    renderPart(<Review review={{ ...review, outputs: tokens }} names={names} />);
    expect(outputs().map(({ textContent }) => textContent)).toEqual([
      '12 sat12 tokens, 1 sat each',
      '50 satFee to the miner',
    ]);
  });

  it('draws a token for another address separately, before the others', () => {
    const odd = tokens.map((output) => (output.index === 7 ? { ...output, address: 'other' } : output));
    renderPart(<Review review={{ ...review, outputs: odd }} names={names} />);
    expect(outputs()[0]?.textContent).toBe('1 satMoon 7');
    expect(outputs()[1]?.textContent).toBe('11 sat11 tokens, 1 sat each');
  });

  it('states the fee in satoshis, as a share of the payment and by size, next to the size of the art', () => {
    const change = { ...token, index: 12, kind: 'change' as const, satoshis: 938, itemId: null, contentBytes: null };
    renderPart(<Review review={{ ...review, outputs: [...tokens, change] }} names={names} />);
    expect(screen.getByText('80.6%')).toBeTruthy();
    expect(screen.getByText('100 sat/kB')).toBeTruthy();
    expect(screen.getByText('1.2 kB of art in 500 B')).toBeTruthy();
  });

  it.each([
    ['audio/wav', true],
    ['image/png', false],
  ])('plays what its only token holds: %s', (contentType, plays) => {
    const file = { sha256: 'ab'.repeat(32), name: 'song', contentType, bytes: 1 };
    renderPart(<Review review={review} names={names} files={new Map([['i1', file]])} />);
    expect(document.querySelector('[class*="player"]') !== null).toBe(plays);
  });

  it('names the source of the fee quote only among the details', async () => {
    const endpoint = 'https://miner.example/mapi';
    const user = renderPart(
      <Review review={{ ...review, quote: { endpoint, publicKey: 'aa', since: 1, pinned: false } }} names={names} />,
    );
    expect(screen.queryByText(new RegExp(endpoint))).toBeNull();
    await user.click(within(screen.getByRole('region', { name: 'Details' })).getByRole('button'));
    expect(await screen.findByText(endpoint)).toBeTruthy();
  });

  it('warns at the top if nobody can tell whether the coins are unspent', () => {
    const told = reviewCheck('unanswered', [], phrase('review.unanswered', { height: 7 }));
    renderPart(<Review review={{ ...review, checks: [...review.checks, told] }} names={names} />);
    const alert = screen.getByRole('alert');
    expect(alert.textContent).toContain('Nobody confirms now that these coins are unspent');
    expect(alert.textContent).toContain('up to block 7');
  });

  describe('the receivers', () => {
    const OTHER = 'mstCnezoUKGMSqCNaR4VL46pbfALK39jQ9';
    const to = (...addresses: string[]) =>
      addresses.map((address, index) => ({ ...token, index, kind: 'payment' as const, itemId: null, address }));
    const draw = (all: ReviewData['outputs'], receiverShown = false) => {
      const wallet = {
        ...{ state: 'ready' as const, network: 'sandbox' as const, address: ADDRESS, publicKey: null, worthless: true },
        balance: { spendable: 0, confirmed: 0, unconfirmed: 0, reserved: 0, tokens: 0 },
      };
      renderPart(<Review review={{ ...review, outputs: all }} names={names} receiverShown={receiverShown} />, {
        live: { wallet },
      });
    };

    it('have complete addresses, each listed once, even for one token among many', () => {
      const odd = tokens.map((output) => (output.index === 7 ? { ...output, address: OTHER } : output));
      draw([...odd, ...to(OTHER, ADDRESS)]);
      expect(screen.getAllByText(OTHER)).toHaveLength(1);
      expect(screen.queryByText(ADDRESS)).toBeNull();
    });

    it('are counted if there are more than five', () => {
      draw(to(...Array.from({ length: 7 }, (_, n) => `${OTHER}${n}`)));
      expect(screen.getAllByText(new RegExp(`^${OTHER}\\d$`))).toHaveLength(5);
      expect(screen.getByText('and 2 further addresses, with every field')).toBeTruthy();
    });

    it('are left out if only the change has an address, or if the page shows them', () => {
      draw([{ ...token, kind: 'change', address: OTHER }]);
      draw(to(OTHER), true);
      expect(screen.queryByText('Goes to')).toBeNull();
    });
  });

  it('mentions tokens with base64 text if the settings accept them', () => {
    const notice = { id: 'base64-content', passed: true, text: 'Output 0 holds the base64 text.' };
    renderPart(<Review review={{ ...review, checks: [notice] }} names={names} />);
    expect(screen.getByText('These tokens hold text, not the art')).toBeTruthy();
  });

  it('shows failed checks above everything else and folds passed ones', () => {
    const failed = { id: 'destination', passed: false, text: `A token goes to ${ADDRESS}.` };
    const passed = { id: 'fee-limit', passed: true, text: 'The fee is within your limit.' };
    renderPart(<Review review={{ ...review, ok: false, checks: [passed, failed] }} names={names} />);
    const check = screen.getByText(failed.text);
    const sentence = screen.getByText(/You mint 1 token/);
    expect(check.compareDocumentPosition(sentence) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(screen.queryByText(passed.text)).toBeNull();
    expect(screen.getByText('The other check passed')).toBeTruthy();
  });

  it('translates a failed check, and shows that of an older review as it was written', async () => {
    addLanguage('de', german);
    await act(() => i18n.changeLanguage('de'));
    const payments = [phrase('review.word.payment', { satoshis: 12_000, address: ADDRESS })];
    const checks = [
      reviewCheck(
        'fee-limit',
        [phrase('review.fee-limit.above', { fee: 12_345, limit: 10_000 })],
        phrase('review.fee-limit', { limit: 10_000 }),
      ),
      reviewCheck('outputs', [phrase('review.outputs.payments', { payments })], phrase('review.outputs')),
      { id: 'destination', passed: false, text: `Output 0 does not go to ${ADDRESS}.` },
      reviewCheck(
        'history',
        [phrase('review.history.not-genuine', { why: phrase('reason.job-cancelled') })],
        phrase('review.history'),
      ),
    ];
    renderPart(<Review review={{ ...review, ok: false, checks }} names={names} />);
    for (const sentence of [
      'Die Gebühr von 12.345 Satoshi liegt über der Grenze der Einstellungen von 10.000.',
      `Sie senden 12.000 Satoshi an ${ADDRESS}.`,
      `Output 0 does not go to ${ADDRESS}.`,
      'Es ist nicht bekannt, dass die Token echt sind: abgebrochen',
    ]) {
      expect(screen.getByText(sentence)).toBeTruthy();
    }
    await act(() => i18n.changeLanguage('en'));
  });
});
