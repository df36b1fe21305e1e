import type { Preferences } from '../preferences/preferences.ts';

/** What menus, tray and notifications make the shell do. */
export interface ShellActions {
  /** Shows the window, at a view of the application where one is named. */
  open(view?: string): void;
  lock(): void;
  copyEndpoint(): void;
  checkForUpdate(): void;
  quit(): void;
  preference<K extends keyof Preferences>(key: K): Preferences[K];
  setPreference<K extends 'onClose' | 'launchAtLogin' | 'notifications' | 'updates'>(
    key: K,
    value: Preferences[K],
  ): void;
}
