import { create } from 'zustand';
import type { Value } from './setting-form.ts';

interface SettingDrafts {
  /** Typed values that are not saved yet, by key. */
  readonly drafts: Readonly<Record<string, Value>>;
}

/** Outlives the view, so that drafts survive a visit to another page. Kept in memory only, since a draft may be a secret. */
export const useSettingDrafts = create<SettingDrafts>(() => ({ drafts: {} }));
