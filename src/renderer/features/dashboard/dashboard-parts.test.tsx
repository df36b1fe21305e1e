import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo } from '../../test-support/samples.ts';
import { Endpoints } from './endpoint-list.tsx';
import { Notices } from './notices.tsx';

it('an address that does not listen says so, and only those that do can be copied', () => {
  const none = { console: null, rpc: null, zmq: null, writer: null, sandbox: null, baseUrl: null, mapi: null };
  const endpoints = { ...none, rpc: 'http://127.0.0.1:8332' };
  renderPart(<Endpoints />, { live: { app: { ...appInfo, endpoints } } });
  expect(screen.getByText('http://127.0.0.1:8332')).toBeTruthy();
  expect(screen.getAllByText('not listening')).toHaveLength(5);
  expect(screen.getAllByRole('button')).toHaveLength(1);
});

it('a notice stands until it is dismissed at the host; safe mode cannot be dismissed', async () => {
  const dismissed: string[] = [];
  const dismissNotice = ({ id }: { id: string }) => {
    dismissed.push(id);
  };
  const user = renderPart(<Notices />, {
    host: { app: { dismissNotice } as never },
    live: {
      app: { ...appInfo, safeMode: true },
      notices: [{ id: 'n1', level: 'warning', message: 'The disk is nearly full.', hint: 'Free some room.', at: 1 }],
    },
  });
  expect(screen.getByRole('region', { name: 'Notices' }).textContent).toContain('The disk is nearly full.');
  await user.click(screen.getByRole('button', { name: 'Dismiss this notice' }));
  await expect.poll(() => dismissed).toEqual(['n1']);
});

it('nothing is drawn where there is nothing to tell', () => {
  renderPart(<Notices />, { live: { app: appInfo, notices: [] } });
  expect(screen.queryByRole('region', { name: 'Notices' })).toBeNull();
});
