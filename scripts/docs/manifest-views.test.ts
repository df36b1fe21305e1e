import { expect, it } from 'vitest';
import type { Content } from '../../e2e/support/scenes/content.ts';
import { viewsOf } from '../../e2e/support/scenes/views.ts';
import { manifestViews } from './manifest-views.ts';

it('the table for screenshots and accessibility tests contains every view of the page', async () => {
  const views = await manifestViews();
  expect(views.length).toBeGreaterThan(40);
  expect(Object.keys(viewsOf({} as Content)).sort()).toEqual(views.sort());
});
