import { expect, it } from 'vitest';
import { supportProblem } from './electron-support.ts';

it('the check of the Electron version accepts one of the newest three', () => {
  for (const used of ['45.4.1', '44.0.0', '43.9.2']) expect(supportProblem(used, '45.5.0')).toBeUndefined();
});

it('the check of the Electron version reports one that is older than the newest three', () => {
  expect(supportProblem('42.9.9', '45.0.0')).toBe(
    'Electron 42.9.9 left support: 45.0.0 is the newest, and 43 the oldest that gets fixes.',
  );
});
