import { create } from 'zustand';
import type { Value } from './setting-form.ts';

interface SettingDrafts {
  /** What was typed and not saved yet, by the key of the setting. */
  readonly drafts: Readonly<Record<string, Value>>;
}

/** Outlives the view, so that nothing typed is lost by a look at another one; in memory alone, as a draft may be a secret. */
export const useSettingDrafts = create<SettingDrafts>(() => ({ drafts: {} }));
