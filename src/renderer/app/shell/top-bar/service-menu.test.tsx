import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { PlanchetError, type ServiceStatus } from '../../../../contract/index.ts';
import catalogue from '../../../../contract/languages/de/catalogue.ts';
import { FaultBanner } from '../../../components/status/fault-banner.tsx';
import { addErrorTexts } from '../../../i18n/errors.ts';
import { i18n } from '../../../i18n/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { appInfo } from '../../../test-support/samples.ts';
import { ServiceMenu } from './service-menu.tsx';

const fine: ServiceStatus = { name: 'wallet', status: { state: 'running' }, since: 1 };
const failed: ServiceStatus = {
  name: 'writer',
  status: {
    state: 'failed',
    failure: { code: 'port-in-use', message: 'Port 8334 is taken.', hint: 'Set writerBind.' },
  },
  since: 2,
};
const degraded: ServiceStatus = {
  name: 'gateway',
  status: {
    state: 'running',
    degraded: { code: 'upstream-unreachable', message: 'No upstream node can be asked.' },
    byFault: true,
  },
  since: 3,
};
const warned: ServiceStatus = {
  name: 'zmq',
  status: { state: 'running', warning: { code: 'settings-invalid', message: 'It polls.' } },
  since: 4,
};
const fault = { name: 'http-error', value: 503, times: null, area: 'rpc' } as const;

const button = () => screen.getByRole('button', { name: /^(Services|Dienste)/ });

describe('the service menu', () => {
  it.each([
    ['All running', [fine, warned]],
    ['Starting…', [fine, { ...fine, name: 'studio', status: { state: 'starting' } }]],
    ['1 problem', [fine, { ...fine, name: 'studio', status: { state: 'starting' } }, failed]],
    ['2 problems', [fine, degraded, failed]],
    ['Starting…', []],
  ] as [string, ServiceStatus[]][])('has the label "%s"', (words, services) => {
    renderPart(<ServiceMenu />, { live: { app: appInfo, services } });
    expect(button().textContent).toBe(words);
  });

  it('shows warnings and reasons in the language of the page', async () => {
    addErrorTexts('de', catalogue.errors);
    await i18n.changeLanguage('de');
    const warning = new PlanchetError('gateway.zmq-polled').toFailure();
    const cutOff = new PlanchetError('gateway.cut-off', { reason: [new PlanchetError('upstream.none').toFailure()] });
    const of = (name: 'zmq' | 'gateway', status: object) =>
      ({ name, status: { state: 'running', ...status }, since: 1 }) as ServiceStatus;
    const services = [of('zmq', { warning }), of('gateway', { degraded: cutOff.toFailure() })];
    const user = renderPart(<ServiceMenu />, { live: { app: appInfo, services } });
    await user.click(button());
    const text = (await screen.findAllByRole('listitem')).map((item) => item.textContent).join();
    expect(text).toContain('Kein Node ist erreichbar.');
    for (const { message } of [warning, new PlanchetError('upstream.none')]) expect(text).not.toContain(message);
    await i18n.changeLanguage('en');
  });

  it('links to the chain sources if no public service replies, and mentions no terminal', async () => {
    const silent = new PlanchetError('gateway.tip-not-agreed').toFailure();
    const user = renderPart(<ServiceMenu />, {
      live: {
        app: { ...appInfo, network: 'main' },
        services: [{ ...fine, name: 'gateway', status: { state: 'running', degraded: silent } }],
      },
    });
    await user.click(button());
    const link = await screen.findByRole('link', { name: 'See who answers' });
    expect(link.getAttribute('href')).toBe('#/networks/main');
    expect(document.body.textContent).not.toContain('planchet headers');
  });

  it('lists problems first, with reason, fix and restart', async () => {
    const restarted: string[] = [];
    const user = renderPart(<ServiceMenu />, {
      live: { app: appInfo, services: [fine, failed] },
      host: {
        services: {
          restart: ({ name }) => {
            restarted.push(name);
            return { ...fine, name };
          },
        },
      },
    });
    await user.click(button());
    const [first, second] = await screen.findAllByRole('listitem');
    for (const text of ['Data writer', 'Failed', 'Port 8334 is taken.', 'Set writerBind.'])
      expect(first?.textContent).toContain(text);
    expect(second?.textContent).toContain('Running');
    await user.click(within(first as HTMLElement).getByRole('button', { name: 'Restart Data writer' }));
    await expect.poll(() => restarted).toEqual(['writer']);
  });

  it('names an active fault as the cause, and turns it off', async () => {
    const cleared: unknown[] = [];
    const user = renderPart(<ServiceMenu />, {
      live: { app: appInfo, services: [degraded], faults: [fault, { ...fault, name: 'callbacks-lost', area: 'all' }] },
      host: {
        sandbox: {
          faults: {
            clear: ({ name }) => {
              cleared.push(name);
              return [];
            },
          },
        },
      },
    });
    await user.click(button());
    const entry = await screen.findByRole('listitem');
    expect(entry.textContent).toContain('Degraded by a fault that you switched on');
    expect(entry.textContent).toContain('the node answers 503');
    expect(entry.textContent).not.toContain('call back');
    await user.click(within(entry).getByRole('button', { name: 'Turn off' }));
    await expect.poll(() => cleared).toEqual(['http-error']);
  });
});

describe('the banner of active faults', () => {
  it('is not shown without a fault', () => {
    renderPart(<FaultBanner />);
    expect(screen.queryByRole('status')).toBeNull();
  });

  it('names the active fault', () => {
    renderPart(<FaultBanner />, { live: { faults: [fault] } });
    expect(screen.getByRole('status').textContent).toBe('1 fault is on: the node answers 503');
  });

  it('shows why a fault could not be turned off', async () => {
    const user = renderPart(<FaultBanner />, { live: { faults: [fault] } });
    await user.click(screen.getByRole('button', { name: 'Turn off' }));
    expect((await screen.findByRole('alert')).textContent).toMatch(/\w/);
  });
});
