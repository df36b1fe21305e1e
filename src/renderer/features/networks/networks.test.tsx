import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type NetworkProfile, type NetworkTestStep, phrase } from '../../../contract/index.ts';
import catalogue from '../../../contract/languages/de/catalogue.ts';
import german from '../../../contract/languages/de/page/program/networks.json' with { type: 'json' };
import { addTexts, i18n } from '../../i18n/index.ts';
import { addPhrases } from '../../i18n/phrases.ts';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo } from '../../test-support/samples.ts';
import { NetworkPage } from './network-page.tsx';

const profile = (network: NetworkProfile['network'], missing: NetworkProfile['missing']): NetworkProfile => ({
  network,
  active: network === 'sandbox',
  entries: [],
  missing,
  passphrase: 'known',
});

it('the network switch accepts missing things only as they were shown', async () => {
  let missing: NetworkProfile['missing'] = ['wallet', 'backup'];
  const sent: unknown[] = [];
  const user = renderPart(<NetworkPage network="test" />, {
    live: { app: appInfo },
    host: {
      networks: {
        list: () => [profile('test', missing)],
        save: () => {
          // The key was removed elsewhere meanwhile.
          missing = ['upstream', 'wallet', 'backup'];
          return profile('test', missing);
        },
        switch: (input) => {
          sent.push(input);
          return { network: 'test' as const, missing, restarts: false };
        },
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Change to Test' }));
  await user.click(screen.getByRole('button', { name: 'Your own node or services' }));
  const box = await screen.findByRole('checkbox', { name: 'Go without: Wallet, Checked backup' });
  const change = screen.getByRole<HTMLButtonElement>('button', { name: 'Change to Test' });
  expect(change.disabled).toBe(true);
  await user.click(box);
  expect(change.disabled).toBe(false);
  await user.type(screen.getByLabelText('Token service'), 'x');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(change.disabled).toBe(true));
  await user.click(screen.getByRole('checkbox', { name: /Node or public services, Wallet/ }));
  await user.click(change);
  await screen.findByText('The next start is on Test.');
  expect(sent).toEqual([{ network: 'test', use: 'mint', without: ['upstream', 'wallet', 'backup'], word: '' }]);
});

it.each([
  ['main', 'http://user:password@127.0.0.1:8332', 'tcp://127.0.0.1:28338'],
  ['test', 'http://user:password@127.0.0.1:18332', 'tcp://127.0.0.1:28337'],
] as const)('the address form shows the usual ports of a node on the network %s', async (network, rpc, zmq) => {
  const user = renderPart(<NetworkPage network={network} />, {
    live: { app: appInfo },
    host: { networks: { list: () => [profile(network, [])] } },
  });
  await user.click(await screen.findByRole('button', { name: 'Your own node or services' }));
  expect(await screen.findByPlaceholderText(rpc)).toBeTruthy();
  expect(screen.getByPlaceholderText(zmq)).toBeTruthy();
});

it('the network switch asks for a passphrase only if the vault needs one', async () => {
  const asked: unknown[] = [];
  const user = renderPart(<NetworkPage network="main" />, {
    live: { app: appInfo },
    host: {
      networks: {
        list: () => [{ ...profile('main', ['wallet', 'backup']), passphrase: 'none' }],
        createWallet: (input) => {
          asked.push(input);
          return { ...profile('main', ['backup']), passphrase: 'none' };
        },
      },
    },
  });
  const create = await screen.findByRole('button', { name: 'Create the wallet' });
  expect(screen.queryByLabelText(/passphrase/i)).toBeNull();
  await user.click(create);
  await waitFor(() => expect(asked).toEqual([{ network: 'main' }]));
});

it('the network test shows the result of each step in the language of the page', async () => {
  const step = (name: NetworkTestStep['step'], more: Partial<NetworkTestStep> = {}): NetworkTestStep => ({
    step: name,
    miner: null,
    outcome: 'passed',
    message: 'In English',
    sentence: null,
    failure: null,
    ...more,
  });
  addTexts({ networks: german }, 'de');
  addPhrases('de', catalogue.phrases);
  await i18n.changeLanguage('de');
  try {
    const user = renderPart(<NetworkPage network="sandbox" />, {
      live: { app: appInfo },
      host: {
        networks: {
          list: () => [profile('sandbox', [])],
          test: () => [
            step('zmq', { sentence: phrase('test.zmq') }),
            step('quota', { sentence: phrase('test.quota', { available: 480, limit: 500 }) }),
            step('miner', { miner: 'Mine', sentence: phrase('test.miner') }),
          ],
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Testen' }));
    await screen.findByText('Neue Blöcke sind abonniert. Noch kam keine Meldung: Der nächste Block bringt die erste.');
    screen.getByText('Meldungen (ZMQ)');
    screen.getByText('480 von 500 Token sind in diesem Monat übrig.');
    screen.getByText('Miner Mine');
    expect(screen.queryByText('In English')).toBeNull();
  } finally {
    await i18n.changeLanguage('en');
  }
});
