import { render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { PlanchetError } from '../../../../contract/index.ts';
import catalogue from '../../../../contract/languages/de/catalogue.ts';
import { addErrorTexts } from '../../../i18n/errors.ts';
import { i18n } from '../../../i18n/index.ts';
import { reasonOf } from '../../../i18n/reason.ts';
import { Words } from './reason.tsx';

const failure = new PlanchetError('upstream.broke-off', { origin: 'http://node.example' }).toFailure();

describe('the reason of a call', () => {
  afterEach(() => i18n.changeLanguage('en'));

  it('is in the language of the page if Planchet wrote it', async () => {
    expect(reasonOf({ reason: 'as it was sent', failure })).toMatch(
      /^The node at http:\/\/node.example broke off .*\. Check /,
    );
    addErrorTexts('de', catalogue.errors);
    await i18n.changeLanguage('de');
    expect(reasonOf({ reason: 'as it was sent', failure })).toMatch(
      /^Der Node unter http:\/\/node.example brach .* ab\. Prüfen /,
    );
  });

  it('is not translated if a node wrote it, and is marked with its language', () => {
    expect(reasonOf({ reason: 'Block not found', failure: null })).toBe('Block not found');
    expect(reasonOf({ reason: null, failure: null })).toBeNull();
    render(<Words failure={null} text="Block not found" />);
    expect(screen.getByText('Block not found').lang).toBe('en');
  });
});
