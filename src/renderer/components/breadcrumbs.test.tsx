import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../test-support/render.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';

it('the breadcrumbs list the parents of a page, outermost first, and open them', async () => {
  const crumbs = [
    { label: 'Projects', to: '/projects' },
    { label: 'Moons', to: '/projects/m' },
  ];
  const user = renderPart(<Breadcrumbs crumbs={crumbs} />);
  const way = within(screen.getByRole('navigation', { name: 'You are here' }));
  expect(way.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['Projects', 'Moons']);
  await user.click(way.getByRole('link', { name: 'Moons' }));
  expect(location.hash).toBe('#/projects/m');
});
