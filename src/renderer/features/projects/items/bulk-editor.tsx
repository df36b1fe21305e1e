import { Autocomplete, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure, Item } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { upsert } from '../../../api/live-state.ts';
import { Callout, FailureNote } from '../../../components/page.tsx';
import { i18n } from '../../../i18n/index.ts';
import { type BulkChange, changedMetadata, countRefused, noChange } from './bulk-rules.ts';

const MODAL = 'items';

function BulkEditor({ items }: { items: readonly Item[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [change, setChange] = useState<BulkChange>(noChange);
  const [done, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const traits = [...new Set(items.flatMap(({ metadata }) => metadata.traits.map(({ name }) => name)))];
  const metadata = changedMetadata(items, change);
  const refused = countRefused(metadata);
  const nothing = change.name.trim() === '' && change.trait.trim() === '';
  const save = async (): Promise<void> => {
    setFailure(null);
    try {
      for (const [index, item] of items.entries()) {
        setDone(index);
        const wanted = metadata[index];
        if (wanted === undefined || JSON.stringify(wanted) === JSON.stringify(item.metadata)) continue;
        const saved = await client.items.update({ id: item.id, metadata: wanted });
        queries.setQueryData<Item[]>(
          api.items.list.queryKey({ input: { projectUid: saved.projectUid } }),
          (list) => list && upsert(list, saved, (one) => one.id),
        );
      }
      modals.close(MODAL);
    } catch (error) {
      setFailure(failureOf(error));
      setDone(null);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t('projects.bulk.name')}
          description={t('projects.bulk.nameHint')}
          placeholder="{name} #{n}"
          data-autofocus
          value={change.name}
          onChange={(event) => setChange({ ...change, name: event.currentTarget.value })}
        />
        <Group grow align="flex-start">
          <Autocomplete
            label={t('projects.bulk.trait')}
            description={t('projects.bulk.traitHint')}
            data={traits}
            value={change.trait}
            onChange={(trait) => setChange({ ...change, trait })}
          />
          <TextInput
            label={t('projects.bulk.value')}
            description={t('projects.bulk.valueHint')}
            value={change.value}
            onChange={(event) => setChange({ ...change, value: event.currentTarget.value })}
          />
        </Group>
        {!nothing && (
          <Text size="sm" c="dimmed">
            {t('projects.bulk.first', { name: metadata[0]?.name ?? '' })}{' '}
            {metadata[0]?.traits.map(({ name, value }) => `${name}: ${value}`).join(', ')}
          </Text>
        )}
        {refused > 0 && <Callout tone="fail" title={t('projects.bulk.refused', { count: refused })} />}
        {failure !== null && <FailureNote failure={failure} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => modals.close(MODAL)}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" disabled={nothing || refused > 0} loading={done !== null}>
            {t('projects.bulk.save', { count: items.length })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Changes names and traits of several drafts at once. */
export function openBulkEditor(items: readonly Item[]): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('projects.bulk.title', { count: items.length }),
    size: 560,
    closeButtonProps: { 'aria-label': i18n.t('common.close') },
    children: <BulkEditor items={items} />,
  });
}
