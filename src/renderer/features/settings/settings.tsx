import { Button, CloseButton, Stack, TextInput } from '@mantine/core';
import { IconAdjustments, IconRefresh, IconSearch } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure, ServiceStatus, SettingEntry } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live/live-store.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Callout, Empty, FailureNote, Page, Panel } from '../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import { groupOf, isChanged, readDraft, settingGroups, type Value } from './setting-form.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './settings.module.css';
import { useUpstreamTest } from './upstream-test.tsx';
import { useSettingWords } from './use-setting-words.ts';

type Drafts = Readonly<Record<string, Value>>;

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));
}

/** The values each service was last started with; null for secrets, which are never sent. */
type Before = Readonly<Record<string, Value | null>>;

/** Saved keys whose service still runs on the old value, and the button that ends that. */
function PendingRestarts({
  pending,
  onRestarted,
  onPutBack,
}: {
  pending: Readonly<Record<string, Before>>;
  onRestarted: (service: string) => void;
  /** Saves what the keys held before. @returns whether all of it was saved */
  onPutBack: (before: Before) => Promise<boolean>;
}) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const [busy, setBusy] = useState<string>();
  const [failed, setFailed] = useState<{ service: string; failure: Failure }>();
  const restart = async (service: string): Promise<void> => {
    setBusy(service);
    setFailed(undefined);
    try {
      const { status } = await client.services.restart({ name: service as ServiceStatus['name'] });
      if (status.state === 'failed') setFailed({ service, failure: status.failure });
      else onRestarted(service);
    } catch (error) {
      setFailed({ service, failure: failureOf(error) });
    }
    setBusy(undefined);
  };
  const before = pending[failed?.service ?? ''] ?? {};
  const known = Object.keys(before).length > 0 && Object.values(before).every((value) => value !== null);
  return (
    <>
      {Object.entries(pending).map(([service, keys]) => (
        <Callout
          key={service}
          tone="wait"
          role="status"
          title={t('settings.waiting', {
            keys: Object.keys(keys)
              .map((key) => words(key).name)
              .join(', '),
          })}
          actions={
            service === 'application' ? undefined : (
              <Button
                size="xs"
                variant="default"
                loading={busy === service}
                leftSection={<IconRefresh {...smallIcon} />}
                onClick={() => void restart(service)}
              >
                {t('settings.restartService', { name: t(`services.${service as 'gateway'}`) })}
              </Button>
            )
          }
        >
          {service === 'application' && t('settings.restartApplication')}
        </Callout>
      ))}
      {failed !== undefined && (
        <FailureNote
          failure={failed.failure}
          actions={
            known ? (
              <Button
                size="xs"
                variant="default"
                loading={busy === failed.service}
                onClick={() => void onPutBack(before).then((done) => (done ? restart(failed.service) : undefined))}
              >
                {t('settings.putBack')}
              </Button>
            ) : undefined
          }
        />
      )}
    </>
  );
}

/** Every key of settings.json: what it means, what it may be, and when a change of it takes effect. */
export function Settings() {
  const { t } = useTranslation();
  const words = useSettingWords();
  const queries = useQueryClient();
  const query = useQuery(api.settings.list.queryOptions());
  const safeMode = useLive((state) => state.app?.safeMode ?? false);
  const [search, setSearch] = useState('');
  const [drafts, setDrafts] = useState<Drafts>({});
  const [failures, setFailures] = useState<Readonly<Record<string, Failure>>>({});
  const [pending, setPending] = useState<Readonly<Record<string, Before>>>({});
  const [saving, setSaving] = useState(false);
  const [saved, setSaved] = useState(0);
  const entries = query.data ?? [];
  const changed = entries.filter((entry) => isChanged(entry, drafts[entry.key]));
  const upstream = useUpstreamTest(entries, drafts);
  const invalid = changed.filter((entry) => 'problem' in readDraft(entry, drafts[entry.key] as Value));

  /** Saves keys one after the other. What fails keeps its old value, and what was typed stays in its field. */
  const save = async (values: readonly { key: string; value: Value }[]): Promise<boolean> => {
    setSaving(true);
    let done = 0;
    for (const { key, value } of values) {
      try {
        const { entry, restarts } = await client.settings.set({ key, value });
        done += 1;
        queries.setQueryData(api.settings.list.queryKey(), (list: SettingEntry[] | undefined) =>
          list?.map((other) => (other.key === key ? entry : other)),
        );
        setDrafts((all) => without(all, key));
        setFailures((all) => without(all, key));
        if (key === 'theme') useLive.setState({ theme: value as 'system' });
        const held = entries.find((other) => other.key === key)?.value ?? null;
        setPending((all) => ({
          ...all,
          ...Object.fromEntries(restarts.map((service) => [service, { [key]: held, ...all[service] }])),
        }));
      } catch (error) {
        setFailures((all) => ({ ...all, [key]: failureOf(error) }));
      }
    }
    setSaved(done);
    setSaving(false);
    return done === values.length;
  };
  const saveAll = (): void =>
    void save(
      changed.flatMap((entry) => {
        const read = readDraft(entry, drafts[entry.key] as Value);
        return 'value' in read ? [{ key: entry.key, value: read.value }] : [];
      }),
    );

  const wanted = search.trim().toLowerCase();
  const visible = entries.filter((entry) => {
    const { name, help } = words(entry.key);
    return [entry.key, name, help, String(entry.value ?? '')].some((text) => text.toLowerCase().includes(wanted));
  });
  return (
    <Page
      title={t('settings.title')}
      purpose={t('settings.purpose')}
      actions={
        <>
          {changed.length > 0 && (
            <Button variant="default" disabled={saving} onClick={() => setDrafts({})}>
              {t('settings.discard')}
            </Button>
          )}
          <Button loading={saving} disabled={changed.length === 0 || invalid.length > 0 || safeMode} onClick={saveAll}>
            {t('settings.save', { count: changed.length })}
          </Button>
        </>
      }
    >
      <Stack gap="md">
        {safeMode && (
          <Callout tone="info" title={t('settings.safeMode')}>
            {t('settings.safeModeText')}
          </Callout>
        )}
        <PendingRestarts
          pending={pending}
          onRestarted={(service) => setPending((all) => without(all, service))}
          onPutBack={(before) =>
            save(Object.entries(before).flatMap(([key, value]) => (value === null ? [] : [{ key, value }])))
          }
        />
        <TextInput
          maw={360}
          aria-label={t('settings.searchLabel')}
          placeholder={t('settings.searchLabel')}
          leftSection={<IconSearch {...smallIcon} />}
          rightSection={
            search === '' ? undefined : (
              <CloseButton size="sm" aria-label={t('common.clearFilter')} onClick={() => setSearch('')} />
            )
          }
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {invalid.length > 0 && (
          // A search may have put the field out of sight.
          <span role="status" className={classes.invalid}>
            {t('settings.invalidChanges', { keys: invalid.map(({ key }) => words(key).name).join(', ') })}
          </span>
        )}
        {saved > 0 && changed.length === 0 && (
          <span role="status" className={classes.facts}>
            {t('settings.saved', { count: saved })}
          </span>
        )}
        <QueryView query={query} skeleton={<SkeletonRows rows={8} height={72} />}>
          {() =>
            visible.length === 0 ? (
              <Empty
                icon={<IconAdjustments {...icon} size={24} />}
                title={t('settings.noneTitle')}
                text={t('settings.noneText')}
                action={
                  <Button variant="default" onClick={() => setSearch('')}>
                    {t('settings.showAll')}
                  </Button>
                }
              />
            ) : (
              <Stack gap="md">
                {settingGroups.map((group) => {
                  const rows = visible.filter((entry) => groupOf(entry.key) === group);
                  return rows.length === 0 ? null : (
                    <Panel
                      key={group}
                      flush
                      title={t(`settings.groups.${group}`)}
                      hint={t(`settings.groupHints.${group}`)}
                      actions={group === 'upstream' ? upstream.button : undefined}
                    >
                      {group === 'upstream' && upstream.report}
                      {rows.map((entry) => (
                        <SettingRow
                          key={entry.key}
                          entry={entry}
                          draft={drafts[entry.key]}
                          failure={failures[entry.key]}
                          disabled={saving || safeMode}
                          onDraft={(value) =>
                            setDrafts((all) =>
                              value === undefined ? without(all, entry.key) : { ...all, [entry.key]: value },
                            )
                          }
                          onReset={() => void save([{ key: entry.key, value: entry.default }])}
                        />
                      ))}
                    </Panel>
                  );
                })}
              </Stack>
            )
          }
        </QueryView>
      </Stack>
    </Page>
  );
}
