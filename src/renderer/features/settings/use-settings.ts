import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure, PortProbe, SettingEntry, WaitingSetting } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live/live-store.ts';
import { showToast } from '../../components/toasts/toast-store.ts';
import { offerUndo } from '../../components/toasts/undo.ts';
import { useSettingDrafts } from './setting-drafts.ts';
import { isChanged, listensAt, readDraft, type Value } from './setting-form.ts';

/** A change that was saved here and can be undone. */
export interface SavedChange {
  /** Null for a secret. */
  readonly was: Value | null;
  readonly undo: string;
}

const TOAST = 'settings-changed';

export type ByKey<T> = Readonly<Record<string, T>>;

function without<T>(record: ByKey<T>, key: string): ByKey<T> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));
}

/** The current settings, the drafts, the saved changes, and the actions on them. */
export function useSettings() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery(api.settings.list.queryOptions());
  const services = useLive((state) => state.services);
  const drafts = useSettingDrafts((state) => state.drafts);
  const setDrafts = (change: (drafts: ByKey<Value>) => ByKey<Value>): void =>
    useSettingDrafts.setState(({ drafts: before }) => ({ drafts: change(before) }));
  const [failures, setFailures] = useState<ByKey<Failure>>({});
  const [saved, setSaved] = useState<ByKey<SavedChange>>({});
  const [taken, setTaken] = useState<ByKey<PortProbe>>({});
  const [failure, setFailure] = useState<Failure>();
  const [saving, setSaving] = useState(false);
  const [savedCount, setSavedCount] = useState(0);
  const entries = query.data ?? [];
  const changed = entries.filter((entry) => isChanged(entry, drafts[entry.key]));
  const invalid = changed.filter((entry) => 'problem' in readDraft(entry, drafts[entry.key] as Value));

  // Another window or the command line may have changed which keys wait for a restart, and a restart ends the wait.
  const waitingQuery = useQuery(api.settings.waiting.queryOptions());
  const refetchWaiting = waitingQuery.refetch;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a service that starts has read its settings.
  useEffect(() => void refetchWaiting(), [services, refetchWaiting]);

  const take = (changedEntries: readonly SettingEntry[]): void => {
    const found = new Map(changedEntries.map((entry) => [entry.key, entry]));
    queries.setQueryData(api.settings.list.queryKey(), (list: SettingEntry[] | undefined) =>
      list?.map((entry) => found.get(entry.key) ?? entry),
    );
    for (const key of found.keys()) {
      setDrafts((all) => without(all, key));
      setFailures((all) => without(all, key));
      setTaken((all) => without(all, key));
      if (key === 'theme') useLive.setState({ theme: found.get(key)?.value as 'system' });
    }
    void refetchWaiting();
  };

  const entryOf = (key: string): SettingEntry | undefined => entries.find((entry) => entry.key === key);

  /** @returns whether another program uses the port of an address, which is then shown in its row */
  const isTaken = async (key: string, value: Value): Promise<boolean> => {
    if (!listensAt(key, value)) return false;
    const probe = await client.settings.probePort({ key, value: String(value) });
    if (!probe.isFree) setTaken((all) => ({ ...all, [key]: probe }));
    return !probe.isFree;
  };

  /** Saves keys one by one. A key that fails keeps its old value, and its draft stays in the field. */
  const save = async (values: readonly { key: string; value: Value; anyPort?: boolean }[]): Promise<boolean> => {
    setSaving(true);
    let done = 0;
    for (const { key, value, anyPort = false } of values) {
      try {
        if (!anyPort && (await isTaken(key, value))) continue;
        const was = entryOf(key)?.value ?? null;
        const { entry, undo } = await client.settings.set({ key, value });
        done += 1;
        take([entry]);
        if (undo !== null) setSaved((all) => ({ ...all, [key]: { was, undo } }));
      } catch (error) {
        setFailures((all) => ({ ...all, [key]: failureOf(error) }));
      }
    }
    setSavedCount(done);
    setSaving(false);
    return done === values.length;
  };

  const saveAll = (): Promise<boolean> =>
    save(
      changed.flatMap((entry) => {
        const read = readDraft(entry, drafts[entry.key] as Value);
        return 'value' in read ? [{ key: entry.key, value: read.value }] : [];
      }),
    );

  const reset = async (key: string): Promise<void> => {
    try {
      const was = entryOf(key)?.value ?? null;
      const { entries: changedEntries, undo } = await client.settings.reset({ keys: [key] });
      take(changedEntries);
      setSaved((all) => (undo === null ? without(all, key) : { ...all, [key]: { was, undo } }));
    } catch (error) {
      setFailures((all) => ({ ...all, [key]: failureOf(error) }));
    }
  };

  const undo = async (key: string): Promise<void> => {
    const change = saved[key];
    if (change === undefined) return;
    try {
      take((await client.settings.undo({ undo: change.undo })).entries);
      setSaved((all) => without(all, key));
    } catch (error) {
      setFailures((all) => ({ ...all, [key]: failureOf(error) }));
    }
  };

  /** Changes many settings at once, and offers an undo. */
  const runBulk = async (
    kind: 'reset' | 'import',
    run: () => Promise<{ entries: SettingEntry[]; undo: string | null }>,
  ): Promise<void> => {
    setFailure(undefined);
    try {
      const { entries: changedEntries, undo: change } = await run();
      take(changedEntries);
      setSaved({});
      const count = changedEntries.length;
      if (change === null) showToast({ id: TOAST, tone: 'info', title: t('settings.bulk.none') });
      else {
        const takeBack = async (): Promise<void> => take((await client.settings.undo({ undo: change })).entries);
        offerUndo({ id: TOAST, title: t(`settings.bulk.${kind}`, { count }), undo: takeBack });
      }
    } catch (error) {
      setFailure(failureOf(error));
    }
  };

  return {
    query,
    entries,
    drafts,
    changed,
    invalid,
    failures,
    saved,
    taken,
    failure,
    saving,
    savedCount: changed.length === 0 ? savedCount : 0,
    waiting: (waitingQuery.data ?? []) as readonly WaitingSetting[],
    setDraft: (key: string, value: Value | undefined): void => {
      setTaken((all) => without(all, key));
      setFailures((all) => without(all, key));
      setDrafts((all) => (value === undefined ? without(all, key) : { ...all, [key]: value }));
    },
    discard: (): void => {
      setTaken({});
      setFailures({});
      setDrafts(() => ({}));
    },
    save,
    saveAll,
    reset,
    undo,
    resetAll: () => runBulk('reset', () => client.settings.reset({})),
    importFile: (text: string) => runBulk('import', () => client.settings.import({ text })),
  };
}
