import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import type { Snapshot } from '../../contract/index.ts';
import { client } from '../api/client.ts';
import { useConnection } from '../api/connection/connection.ts';
import { useLive } from '../api/live/live-store.ts';

type Theme = Snapshot['theme'];

const schemes: Readonly<Record<Theme, MantineColorScheme>> = { system: 'auto', light: 'light', dark: 'dark' };

/** The host keeps the choice; the page shows it. */
export function ThemeSync() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const theme = useLive((state) => state.theme);
  const known = useConnection((state) => state.phase === 'live');
  useEffect(() => {
    // Set again, it would have the styles of the whole page computed for nothing.
    if (known && colorScheme !== schemes[theme]) setColorScheme(schemes[theme]);
  }, [known, theme, colorScheme, setColorScheme]);
  return null;
}

/** Shows the choice at once and has the host remember it; a failed save leaves what is on the screen for this session. */
export function chooseTheme(theme: Theme): void {
  useLive.setState({ theme });
  void client.app.setTheme({ theme }).catch(() => {});
}
