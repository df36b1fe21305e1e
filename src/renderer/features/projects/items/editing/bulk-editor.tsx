import { Autocomplete, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Failure, type Item, MAX_ITEMS_TOGETHER } from '../../../../../contract/index.ts';
import { api, client } from '../../../../api/client.ts';
import { failureOf } from '../../../../api/failure.ts';
import { Callout } from '../../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../../components/callouts/failure-note.tsx';
import { CloseGuard } from '../../../../components/close-guard.tsx';
import { formSubmit } from '../../../../components/forms/form-submit.ts';
import { WholeNumberInput } from '../../../../components/forms/whole-number-input.tsx';
import { offerProjectUndo } from '../../../../components/toasts/project-undo.ts';
import { i18n } from '../../../../i18n/index.ts';
import { type BulkChange, changedMetadata, countRefused, noChange } from './bulk-rules.ts';

const MODAL = 'items';

function BulkEditor({ items }: { items: readonly Item[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [change, setChange] = useState<BulkChange>(noChange);
  const [done, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const traits = [...new Set(items.flatMap(({ metadata }) => metadata.traits.map(({ name }) => name)))];
  const metadata = changedMetadata(items, change);
  const refused = countRefused(metadata);
  const nothing =
    change.name.trim() === '' &&
    change.trait.trim() === '' &&
    change.firstNumber === null &&
    change.rarityLabel.trim() === '';
  const inCollection = items.some(({ subType }) => subType === 'collectionItem');
  const save = async (): Promise<void> => {
    setFailure(null);
    try {
      const changes = items.flatMap(({ id, metadata: before }, index) => {
        const after = metadata[index];
        return after === undefined || JSON.stringify(after) === JSON.stringify(before) ? [] : [{ id, metadata: after }];
      });
      for (let at = 0; at < changes.length; at += MAX_ITEMS_TOGETHER) {
        setDone(at);
        await client.items.updateMany({ changes: changes.slice(at, at + MAX_ITEMS_TOGETHER) });
      }
      // Shares and ranks of other items may follow.
      await queries.invalidateQueries({ queryKey: api.items.list.key() });
      if (isOpen.current) modals.close(MODAL);
      const [first] = items;
      if (first !== undefined && changes.length > 0)
        offerProjectUndo(queries, first.projectUid, t('projects.undo.change.edited', { count: changes.length }));
    } catch (error) {
      setFailure(failureOf(error));
      setDone(null);
    }
  };
  return (
    <form onSubmit={formSubmit(save)}>
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
        {inCollection && (
          <Group grow align="flex-start">
            <WholeNumberInput
              label={t('projects.bulk.firstNumber')}
              description={t('projects.bulk.firstNumberHint')}
              min={0}
              value={change.firstNumber ?? ''}
              onChange={(value) => setChange({ ...change, firstNumber: value === '' ? null : value })}
            />
            <TextInput
              label={t('projects.bulk.rarity')}
              description={t('projects.bulk.rarityHint')}
              maxLength={64}
              value={change.rarityLabel}
              onChange={(event) => setChange({ ...change, rarityLabel: event.currentTarget.value })}
            />
          </Group>
        )}
        {!nothing && (
          <Text size="sm" c="dimmed">
            {t('projects.bulk.first', { name: metadata[0]?.name ?? '' })}{' '}
            {metadata[0]?.traits.map(({ name, value }) => `${name}: ${value}`).join(', ')}
          </Text>
        )}
        {refused > 0 && <Callout tone="fail" title={t('projects.bulk.refused', { count: refused })} />}
        {failure !== null && <FailureNote failure={failure} />}
        <CloseGuard modalId={MODAL} hasChanges={!nothing} />
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
    children: <BulkEditor items={items} />,
  });
}
