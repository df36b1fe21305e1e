import { Button, CloseButton, Stack, TextInput } from '@mantine/core';
import { IconAdjustments, IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearch } from 'wouter';
import { type SettingEntry, settingGroups, settingRows } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import parts from './parts.module.css';
import { NetworkRow } from './rows/network-row.tsx';
import { SettingRow } from './rows/setting-row.tsx';
import { useUpstreamTest } from './rows/upstream-test.tsx';
import classes from './settings.module.css';
import { SettingsIndex, sectionId } from './settings-index.tsx';
import { SettingsMenu } from './transfer.tsx';
import { type SettingWords, useSettingWords } from './use-setting-words.ts';
import { useSettings } from './use-settings.ts';
import { WaitingRestarts } from './waiting-restarts.tsx';

function matches(entry: SettingEntry, wanted: string, words: SettingWords): boolean {
  const { name, help } = words(entry.key);
  const value = entry.secret ? '' : words.value(entry.key, entry.value);
  return [entry.key, name, help, value].some((text) => text.toLowerCase().includes(wanted));
}

/** Stays at the bottom of the view while there are unsaved changes. */
function SaveBar({ settings, disabled }: { settings: ReturnType<typeof useSettings>; disabled: boolean }) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const { changed, invalid, saving, savedCount } = settings;
  if (changed.length === 0) {
    return (
      <span role="status" className={savedCount > 0 ? classes.facts : undefined}>
        {savedCount > 0 && t('settings.saved', { count: savedCount })}
      </span>
    );
  }
  return (
    <section className={parts.bar} aria-label={t('settings.unsaved')}>
      <span role="status" className={invalid.length > 0 ? classes.invalid : classes.saveText}>
        {invalid.length > 0
          ? // A search may have put the field out of sight.
            t('settings.invalidChanges', { keys: invalid.map(({ key }) => words(key).name).join(', ') })
          : t('settings.notSaved', { count: changed.length })}
      </span>
      <Button variant="default" disabled={saving} onClick={settings.discard}>
        {t('settings.discard')}
      </Button>
      <Button loading={saving} disabled={invalid.length > 0 || disabled} onClick={() => void settings.saveAll()}>
        {t('settings.save', { count: changed.length })}
      </Button>
    </section>
  );
}

/** Every key of settings.json: its meaning, its allowed values, and when a change takes effect. */
export function Settings() {
  const { t } = useTranslation();
  const words = useSettingWords();
  const settings = useSettings();
  const { query, entries, drafts, saving } = settings;
  const safeMode = useLive((state) => state.app?.safeMode ?? false);
  const find = new URLSearchParams(useSearch()).get('find');
  const [search, setSearch] = useState('');
  const upstream = useUpstreamTest(entries, drafts);

  const wanted = search.trim().toLowerCase();
  const visible = useMemo(() => entries.filter((entry) => matches(entry, wanted, words)), [entries, wanted, words]);
  const groups = useMemo(
    () =>
      settingGroups
        .map((group) => ({ group, rows: visible.filter((entry) => settingRows.get(entry.key)?.group === group) }))
        .filter(({ rows }) => rows.length > 0)
        .map(({ group, rows }) => ({
          group,
          rows,
          count: rows.filter(({ secret, value, default: fallback }) => !secret && value !== fallback).length,
        })),
    [visible],
  );
  const rowOf = (entry: SettingEntry) =>
    entry.key === 'network' ? (
      <NetworkRow key={entry.key} entry={entry} wanted={wanted} />
    ) : (
      <SettingRow
        key={entry.key}
        entry={entry}
        draft={drafts[entry.key]}
        failure={settings.failures[entry.key]}
        saved={settings.saved[entry.key]}
        taken={settings.taken[entry.key]}
        disabled={saving || safeMode}
        wanted={wanted}
        found={entry.key === find}
        onDraft={(value) => settings.setDraft(entry.key, value)}
        onReset={() => void settings.reset(entry.key)}
        onUndo={() => void settings.undo(entry.key)}
        onSaveAnyway={(value) => void settings.save([{ key: entry.key, value, anyPort: true }])}
      />
    );
  return (
    <Page
      title={t('settings.title')}
      purpose={t('settings.purpose')}
      actions={
        <SettingsMenu
          disabled={saving || safeMode}
          onResetAll={() => void settings.resetAll()}
          onImport={(text) => void settings.importFile(text)}
        />
      }
    >
      <Stack gap="md">
        {safeMode && (
          <Callout tone="info" title={t('settings.safeMode')}>
            {t('settings.safeModeText')}
          </Callout>
        )}
        {settings.failure !== undefined && <FailureNote failure={settings.failure} />}
        <WaitingRestarts waiting={settings.waiting} onPutBack={settings.save} />
        <QueryView query={query} skeleton={<SkeletonRows rows={8} height={72} />}>
          {() => (
            <div className={classes.columns}>
              <div className={classes.side}>
                <TextInput
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
                <SettingsIndex groups={groups} />
              </div>
              <Stack gap="md" className={classes.sections}>
                {groups.length === 0 && (
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
                )}
                {groups.map(({ group, rows }) => (
                  <div key={group} id={sectionId(group)} tabIndex={-1} className={classes.section}>
                    <Panel
                      flush
                      title={t(`settings.groups.${group}`)}
                      hint={t(`settings.groupHints.${group}`)}
                      actions={group === 'upstream' ? upstream.button : undefined}
                    >
                      {group === 'upstream' && upstream.report}
                      {rows.map(rowOf)}
                    </Panel>
                  </div>
                ))}
                <SaveBar settings={settings} disabled={safeMode} />
              </Stack>
            </div>
          )}
        </QueryView>
      </Stack>
    </Page>
  );
}
