import { screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Link, Route, Switch } from 'wouter';
import { renderPart } from '../../test-support/render.tsx';
import { useSettingDrafts } from './setting-drafts.ts';
import { Settings } from './settings.tsx';
import { entry } from './test-support.ts';

afterEach(() => useSettingDrafts.setState({ drafts: {} }));

it('the settings view keeps drafts while another view is open', async () => {
  const user = renderPart(
    <>
      <Link href="/settings">Settings</Link>
      <Link href="/tokens">Tokens</Link>
      <Switch>
        <Route path="/settings">
          <Settings />
        </Route>
        <Route path="/tokens">The tokens</Route>
      </Switch>
    </>,
    { at: '/settings', host: { settings: { list: () => [entry('maxFeeSatoshis', 1_000)], waiting: () => [] } } },
  );
  const field = () => screen.findByRole<HTMLInputElement>('textbox', { name: /Highest fee/ });
  await user.clear(await field());
  await user.type(await field(), '2000');
  await user.click(screen.getByRole('link', { name: 'Tokens' }));
  expect(await screen.findByText('The tokens')).toBeTruthy();
  await user.click(screen.getByRole('link', { name: 'Settings' }));
  expect((await field()).value.replace(/\D/g, '')).toBe('2000');
  expect(screen.getByText('1 change is not saved.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  expect((await field()).value.replace(/\D/g, '')).toBe('1000');
});
