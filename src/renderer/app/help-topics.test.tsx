import { expect, it } from 'vitest';
import { i18n } from '../i18n/index.ts';
import { helpTopics, topicsOf } from '../lib/help-topics.ts';
import { features } from './features.ts';

it('every view but those of the first start has a help topic', () => {
  const paths = features.flatMap(({ views }) => views.map(({ path }) => path.replaceAll(/:\w+\??/g, 'x')));
  const without = paths.filter((path) => topicsOf(path).length === 0);
  expect(without.filter((path) => !path.startsWith('/welcome'))).toEqual([]);
});

it('every entry of the navigation has a help topic with texts', () => {
  const without = features.filter(({ nav, help = [] }) => nav !== undefined && help.length === 0);
  expect(without.map(({ nav }) => nav?.to)).toEqual([]);
  for (const { texts } of helpTopics()) {
    expect(i18n.exists(`${texts}.title`) && i18n.exists(`${texts}.text`), texts).toBe(true);
  }
});
