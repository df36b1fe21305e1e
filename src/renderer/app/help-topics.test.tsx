import { expect, it } from 'vitest';
import { i18n } from '../i18n/index.ts';
import { helpTopics } from '../lib/help-topics.ts';
import { features } from './features.ts';

it('every entry of the navigation has a help topic with texts', () => {
  const without = features.filter(({ nav, help = [] }) => nav !== undefined && help.length === 0);
  expect(without.map(({ nav }) => nav?.to)).toEqual([]);
  for (const { texts } of helpTopics()) {
    expect(i18n.exists(`${texts}.title`) && i18n.exists(`${texts}.text`), texts).toBe(true);
  }
});
