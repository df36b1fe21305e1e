import { screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Link, Route, Switch } from 'wouter';
import { PlanchetError } from '../../../contract/index.ts';
import { refusal } from '../../test-support/fake-host.ts';
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

it('the settings view forgets why a change was refused when the change is discarded', async () => {
  const full = new PlanchetError('general.disk-full');
  const set = (): never => {
    throw refusal(full.toFailure());
  };
  const probe = { port: 8_332, isFree: false, usedBy: 'nginx', proposal: null };
  const list = () => [entry('maxFeeSatoshis', 1_000), entry('rpcBind', '127.0.0.1:8331')];
  const user = renderPart(<Settings />, {
    host: { settings: { list, waiting: () => [], set, probePort: () => probe } },
  });
  await user.type(await screen.findByRole('textbox', { name: /Highest fee/ }), '5');
  const address = document.querySelector<HTMLInputElement>('[data-key="rpcBind"] input');
  await user.type(address as HTMLInputElement, '{Backspace}2');
  await user.click(screen.getByRole('button', { name: 'Save 2 changes' }));
  expect(await screen.findByText(full.message)).toBeTruthy();
  expect(await screen.findByText('nginx already uses port 8332.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  expect(screen.queryByRole('alert')).toBeNull();
});
