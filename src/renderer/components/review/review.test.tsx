import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Review as ReviewData } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, review } from '../../test-support/samples.ts';
import { Review } from './review.tsx';

const [token] = review.outputs as [ReviewData['outputs'][number]];
const tokens = Array.from({ length: 12 }, (_, index) => ({ ...token, index, itemId: `i${index}` }));
const names = new Map(tokens.map(({ itemId, index }) => [itemId as string, `Moon ${index}`]));
const outputs = () => within(screen.getByRole('list', { name: 'Out' })).getAllByRole('listitem');

describe('the review of a transaction', () => {
  it('draws tokens that are alike as one', () => {
    renderPart(<Review review={{ ...review, outputs: tokens }} names={names} />);
    expect(outputs().map(({ textContent }) => textContent)).toEqual([
      '12 sat12 tokens, 1 sat each',
      '50 satFee to the miner',
    ]);
  });

  it('draws a token for another address apart from them, and in front', () => {
    const odd = tokens.map((output) => (output.index === 7 ? { ...output, address: 'other' } : output));
    renderPart(<Review review={{ ...review, outputs: odd }} names={names} />);
    expect(outputs()[0]?.textContent).toBe('1 satMoon 7');
    expect(outputs()[1]?.textContent).toBe('11 sat11 tokens, 1 sat each');
  });

  it('says the fee in satoshis, as a share of what is paid, and by size, beside the size of the art', () => {
    const change = { ...token, index: 12, kind: 'change' as const, satoshis: 938, itemId: null, contentBytes: null };
    renderPart(<Review review={{ ...review, outputs: [...tokens, change] }} names={names} />);
    expect(screen.getByText('80.6%')).toBeTruthy();
    expect(screen.getByText('100 sat/kB')).toBeTruthy();
    expect(screen.getByText('1.2 kB of art in 500 B')).toBeTruthy();
  });

  it('tells that tokens hold base64 text where the settings accept that', () => {
    const notice = { id: 'base64-content', passed: true, text: 'Output 0 holds the base64 text.' };
    renderPart(<Review review={{ ...review, checks: [notice] }} names={names} />);
    expect(screen.getByText('These tokens hold text, not the art')).toBeTruthy();
  });

  it('shows what failed above everything else and folds what passed', () => {
    const failed = { id: 'destination', passed: false, text: `A token goes to ${ADDRESS}.` };
    const passed = { id: 'fee-limit', passed: true, text: 'The fee is within your limit.' };
    renderPart(<Review review={{ ...review, ok: false, checks: [passed, failed] }} names={names} />);
    const check = screen.getByText(failed.text);
    const sentence = screen.getByText(/You mint 1 token/);
    expect(check.compareDocumentPosition(sentence) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(screen.queryByText(passed.text)).toBeNull();
    expect(screen.getByText('The other check passed')).toBeTruthy();
  });
});
