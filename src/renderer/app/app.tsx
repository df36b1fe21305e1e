import { localStorageColorSchemeManager, MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { ModalsProvider, modals } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Router } from 'wouter';
import { useConnection } from '../api/connection/connection.ts';
import { signIn, tokenFromHash } from '../api/connection/session.ts';
import { startLive } from '../api/live/live.ts';
import { MoneySync } from '../api/money.ts';
import { createQueries } from '../api/queries.ts';
import { nonce } from '../lib/nonce.ts';
import { cssVariables, theme } from '../theme.ts';
import { useHashPath, useHashSearch } from './hash-location.ts';
import { LanguageSync } from './language.ts';
import { Unauthorized } from './shell/connection-screens.tsx';
import { Shell } from './shell/shell.tsx';
import { ThemeSync } from './theme-sync.tsx';

const queries = createQueries();

const colorSchemes = localStorageColorSchemeManager({ key: 'planchet-color-scheme' });

/** Exchanges the token of the link for a session if there is one, then opens the event stream. A new link in the same tab starts over. */
function Session() {
  const [generation, setGeneration] = useState(0);
  const [refused, setRefused] = useState(false);
  const phase = useConnection((state) => state.phase);

  // biome-ignore lint/correctness/useExhaustiveDependencies: every generation is a new attempt at a session.
  useEffect(() => {
    let stop: (() => void) | undefined;
    let left = false;
    const open = async (): Promise<void> => {
      setRefused(!(await signIn()));
      if (!left) stop = startLive(queries);
    };
    void open();
    return () => {
      left = true;
      stop?.();
    };
  }, [generation]);

  useEffect(() => {
    const onHash = (): void => {
      if (tokenFromHash(location.hash) !== null) setGeneration((count) => count + 1);
    };
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, []);

  if (phase === 'unauthorized') {
    return <Unauthorized refused={refused} onRetry={() => setGeneration((count) => count + 1)} />;
  }
  return <Shell />;
}

/** A dialog belongs to the view it was opened in, so going back closes it. */
function CloseDialogsOnTheWayBack(): null {
  useEffect(() => {
    const close = (): void => modals.closeAll();
    window.addEventListener('popstate', close);
    return () => window.removeEventListener('popstate', close);
  }, []);
  return null;
}

/** The theme with the texts of its components in the language of the page. */
function useTheme() {
  const { t } = useTranslation();
  const showPassword = t('common.showPassword');
  const close = t('common.close');
  return useMemo(
    () =>
      mergeThemeOverrides(theme, {
        components: {
          Drawer: { defaultProps: { closeButtonProps: { 'aria-label': close } } },
          Modal: { defaultProps: { closeButtonProps: { 'aria-label': close } } },
          PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': showPassword } } },
        },
      }),
    [showPassword, close],
  );
}

export function App() {
  return (
    <MantineProvider
      theme={useTheme()}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemes}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Router hook={useHashPath} searchHook={useHashSearch}>
          <ModalsProvider>
            <ThemeSync />
            <LanguageSync />
            <MoneySync />
            <CloseDialogsOnTheWayBack />
            <Session />
          </ModalsProvider>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
