import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import catalogue from '../../../contract/languages/de/catalogue.ts';
import { addErrorTexts } from '../../i18n/errors.ts';
import { i18n } from '../../i18n/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { FailureNote } from './failure-note.tsx';

const values = {
  spendable: 12_345,
  needed: 1_250_000,
  missing: 1_237_655,
  address: 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
};
const names = () => screen.queryAllByRole('term').map(({ textContent }) => textContent);

function show(detail: Record<string, number>): void {
  const failure = new PlanchetError('wallet.funds-insufficient', values, { detail }).toFailure();
  renderPart(<FailureNote failure={failure} />);
}

describe.each([
  ['en', '1,250,000'],
  ['de', '1.250.000'],
])('the figures of a failure in %s', (language, needed) => {
  it.each([
    ['are not repeated if the text says them', { spendable: 12_345, needed: 1_250_000 }, []],
    ['are shown if they are only digits of another number', { groups: 345, first: 1 }, ['groups', 'first']],
  ])('%s', async (_, detail, shown) => {
    addErrorTexts('de', catalogue.errors);
    await i18n.changeLanguage(language);
    show(detail);
    expect(screen.getByRole('alert').textContent).toContain(needed);
    expect(names()).toEqual(shown);
  });
});
