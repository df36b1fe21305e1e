import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import type { Snapshot } from '../../contract/index.ts';
import { client } from '../api/client.ts';
import { useConnection } from '../api/connection/connection.ts';
import { useLive } from '../api/live/live-store.ts';

type Theme = Snapshot['theme'];

const schemes: Readonly<Record<Theme, MantineColorScheme>> = { system: 'auto', light: 'light', dark: 'dark' };

/** Applies the theme stored on the host to the page. */
export function ThemeSync() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const theme = useLive((state) => state.theme);
  const known = useConnection((state) => state.phase === 'live');
  useEffect(() => {
    // Setting the same theme again would recompute all styles of the page.
    if (known && colorScheme !== schemes[theme]) setColorScheme(schemes[theme]);
  }, [known, theme, colorScheme, setColorScheme]);
  return null;
}

/** Applies the choice at once and saves it on the host. If saving fails, the choice lasts for this session. */
export function chooseTheme(theme: Theme): void {
  useLive.setState({ theme });
  void client.app.setTheme({ theme }).catch(() => {});
}
