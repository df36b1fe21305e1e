import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { usePreferences } from '../../../lib/preferences.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { Console } from './console.tsx';
import { useRuns } from './transcript.tsx';

const hash = 'ab'.repeat(32);
const helps: Readonly<Record<string, string>> = {
  getblock: 'getblock "blockhash" ( verbosity )\n\nA block.',
  getbestblockhash: 'getbestblockhash\n\nThe newest.',
};
const parameter = (name: string) => ({ name, names: [name] });

afterEach(() => {
  useRuns.setState({ runs: [] });
  usePreferences.setState({ consoleLines: {} });
});

const plain = { summary: '', withoutNode: 'proven' as const, leftOut: [] };

function open({ answered = Promise.resolve() }: { answered?: Promise<void> } = {}) {
  const called: unknown[] = [];
  const user = renderPart(<Console />, {
    host: {
      gateway: {
        commands: () => [
          { ...plain, name: 'getbestblockhash', parameters: [] },
          { ...plain, name: 'getblock', parameters: [parameter('blockhash'), parameter('verbosity')] },
        ],
      },
      node: {
        call: async ({ method, params }) => {
          if (method === 'help') return { result: helps[String(params[0])], error: null };
          called.push([method, params]);
          await answered;
          return { result: method === 'getblock' ? { height: 7, tx: [hash] } : hash, error: null };
        },
      },
    },
  });
  return { user, called };
}

const line = () => screen.findByRole<HTMLInputElement>('textbox', { name: 'Command line' });

describe('the gateway console', () => {
  it('completes by Tab, checks before sending, and lists replies in order', async () => {
    const { user, called } = open();
    await user.type(await line(), 'getbe');
    expect(screen.getByTestId('ghost').textContent).toBe('getbestblockhash');
    await user.keyboard('{Tab}{Enter}');
    const runs = await screen.findByRole('list', { name: 'Answers' });
    expect(within(runs).getByRole('link').getAttribute('href')).toBe(`#/explorer/block/${hash}`);
    await user.type(await line(), 'getblock zz');
    expect(await screen.findByText('blockhash has to be the hash of a block, 64 hexadecimal digits.')).toBeTruthy();
    await user.keyboard('{Enter}');
    expect(called).toHaveLength(1);
    await user.keyboard('{Backspace}{Backspace}{Tab}{Enter}');
    expect(await within(runs).findByText('height')).toBeTruthy();
    expect(called).toEqual([
      ['getbestblockhash', []],
      ['getblock', [hash]],
    ]);
    expect(
      within(runs)
        .getAllByRole('button', { name: /^getb/ })
        .map(({ textContent }) => textContent),
    ).toEqual([`getblock ${hash}`, 'getbestblockhash']);
  });

  it('keeps the next command typed while a reply is pending', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { user } = open({ answered: promise });
    await user.type(await line(), 'getbestblockhash{Enter}');
    await user.clear(await line());
    await user.type(await line(), 'getblock');
    resolve();
    expect(await screen.findByRole('list', { name: 'Answers' })).toBeTruthy();
    await waitFor(() => expect(screen.getByRole('button', { name: 'Run' }).hasAttribute('data-loading')).toBe(false));
    expect((await line()).value).toBe('getblock');
  });

  it('finds earlier lines by arrow keys and by search, separately for each network', async () => {
    usePreferences.setState({
      consoleLines: { sandbox: ['getblock aa', 'getbestblockhash', 'getblock bb'], main: ['x'] },
    });
    const { user } = open();
    await user.click(await line());
    await user.keyboard('{ArrowUp}{ArrowUp}');
    expect((await line()).value).toBe('getbestblockhash');
    await user.keyboard('{Control>}r{/Control}');
    const search = await screen.findByRole('textbox', { name: 'Search in the history' });
    await user.type(search, 'GETBLOCK');
    expect(within(screen.getByRole('list', { name: 'History' })).getAllByRole('button')).toHaveLength(2);
    await user.keyboard('{Control>}r{/Control}{Enter}');
    expect((await line()).value).toBe('getblock bb');
  });

  it('clears its history at once, and restores it by a button', async () => {
    const { user } = open();
    await user.type(await line(), 'getbestblockhash{Enter}');
    await user.keyboard('{Control>}r{/Control}');
    await user.click(await screen.findByRole('button', { name: 'Forget all' }));
    const kept = () => Object.values(usePreferences.getState().consoleLines);
    expect(kept()).toEqual([[]]);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(kept()).toEqual([['getbestblockhash']]);
  });

  it('keeps a command that ran after its history was cleared when that is restored', async () => {
    usePreferences.setState({ consoleLines: { sandbox: ['getblock aa'] } });
    const { user } = open();
    await user.click(await line());
    await user.keyboard('{Control>}r{/Control}');
    await user.click(await screen.findByRole('button', { name: 'Forget all' }));
    await user.keyboard('{Escape}');
    await user.type(await line(), 'getbestblockhash{Enter}');
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(usePreferences.getState().consoleLines.sandbox).toEqual(['getbestblockhash', 'getblock aa']);
  });

  it('does not store a line with a passphrase', async () => {
    const { user } = open();
    await user.type(await line(), 'walletpassphrase secret 60{Enter}');
    await screen.findByRole('list', { name: 'Answers' });
    expect(JSON.stringify(usePreferences.getState().consoleLines)).not.toContain('secret');
  });
});
