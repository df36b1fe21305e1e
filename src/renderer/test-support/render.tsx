import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { Router } from 'wouter';
import { emptyLiveState, type LiveState } from '../api/live/live-state.ts';
import { useLive } from '../api/live/live-store.ts';
import { useHashPath, useHashSearch } from '../app/hash-location.ts';
import { Toasts } from '../components/toasts/toasts.tsx';
import { type HostAnswers, startFakeHost } from './fake-host.ts';

interface RenderOptions {
  host?: HostAnswers;
  /** The state that the host has sent so far. */
  live?: Partial<LiveState>;
  /** Address inside the application. */
  at?: string;
  /** Stale time of queries in milliseconds: 30,000 in the application, which waits for events instead. */
  staleTime?: number;
}

/** Renders a part of the page as the application does, with a host that replies as the test defines. */
export function renderPart(
  part: ReactNode,
  { host = {}, live = {}, at = '/', staleTime = 0 }: RenderOptions = {},
): UserEvent {
  startFakeHost(host);
  useLive.setState({ ...emptyLiveState, ...live }, true);
  location.hash = at;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime } } });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <Router hook={useHashPath} searchHook={useHashSearch}>
          <ModalsProvider>
            {part}
            <Toasts />
          </ModalsProvider>
        </Router>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return withQuickTyping(userEvent.setup());
}

/** Shorter texts, such as amounts, are typed key by key: number fields read their value after each key. */
const LONG_TEXT = 12;

/**
 * Types the last character of a long text as a person does, and everything before it at once. Each key renders the complete part again, which
 * took half of the time of some tests. Special keys (`{Enter}`) and what follows them are pressed one by one.
 */
function withQuickTyping(user: UserEvent): UserEvent {
  const type: UserEvent['type'] = async (element, text, options) => {
    const plain = /^[^{[]*/.exec(text)?.[0] ?? '';
    if (options !== undefined || plain.length < LONG_TEXT) return user.type(element, text, options);
    await user.click(element);
    await user.paste(plain.slice(0, -1));
    await user.keyboard(text.slice(plain.length - 1));
  };
  return { ...user, type };
}
