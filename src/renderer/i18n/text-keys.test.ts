import { expect, it } from 'vitest';
import { i18n } from './index.ts';

it('a key that is in no catalogue does not type-check', () => {
  expect(i18n.t('common.copyThing', { what: 'address' })).toBe('Copy address');
  // @ts-expect-error there is no such key
  expect(i18n.t('common.copyThings')).toBe('common.copyThings');
  // @ts-expect-error a group of texts is no text
  i18n.t('common.art');
});

it('a text with singular and plural does not type-check without its count', () => {
  expect(i18n.t('common.art.tokens', { count: 2 })).toBe('2 tokens');
  // @ts-expect-error the count is missing
  i18n.t('common.art.tokens');
  // @ts-expect-error the count chooses the form
  i18n.t('common.art.tokens_one', { count: 1 });
});
