import { ActionIcon, Box, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { type Item, type ItemField, itemFieldRows } from '../../../../../contract/index.ts';
import { api } from '../../../../api/client.ts';
import { upsert } from '../../../../api/live/live-state.ts';
import { Callout } from '../../../../components/callouts/callout.tsx';
import { ErrorNote, FailureNote } from '../../../../components/callouts/failure-note.tsx';
import { CloseGuard } from '../../../../components/close-guard.tsx';
import { WholeNumberInput } from '../../../../components/forms/whole-number-input.tsx';
import { icon, smallIcon } from '../../../../components/icon.ts';
import { Preview } from '../../../../components/preview/preview.tsx';
import { Royalties } from '../../../../components/royalties.tsx';
import pairs from '../../../../components/styles/pairs.module.css';
import { offerProjectUndo } from '../../../../components/toasts/project-undo.ts';
import { Id } from '../../../../components/values/values.tsx';
import { formatBytes } from '../../../../lib/format.ts';
import { isDraft, metadataProblems, withoutEmptyTraits } from '../../../../lib/items/item-rules.ts';
import classes from './item-editor.module.css';
import '../../import/texts.ts';

const MODAL = 'item';

function FileFacts({ item }: { item: Item }) {
  const { t, i18n: language } = useTranslation();
  return (
    <Box component="dl" className={pairs.pairs} data-small mt={12}>
      <dt>{t('projects.item.file')}</dt>
      <dd>{item.file.name}</dd>
      <dt>{t('common.type')}</dt>
      <dd className="mono">{item.file.contentType}</dd>
      <dt>{t('common.bytes')}</dt>
      <dd className="num">{formatBytes(item.file.bytes, language.language)}</dd>
      <dt>{t('projects.item.role')}</dt>
      <dd>{t(`common.subType.${item.subType}`)}</dd>
      <dt>{t('projects.item.hash')}</dt>
      <dd>
        <Id value={item.file.sha256} what={t('common.hashName')} copyAlways keep={8} />
      </dd>
    </Box>
  );
}

type MetadataForm = Pick<
  UseFormReturnType<Item['metadata']>,
  'getValues' | 'setFieldValue' | 'getInputProps' | 'errors' | 'insertListItem' | 'removeListItem'
>;

function Traits({ form, locked }: { form: MetadataForm; locked: boolean }) {
  const { t } = useTranslation();
  const { traits } = form.getValues();
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
      <Text component="legend" size="sm" fw={500} p={0}>
        {t('projects.item.traits')}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {traits.length === 0 && locked ? t('projects.item.noTraits') : t('projects.item.traitsHint')}
      </Text>
      <Stack gap={8}>
        {traits.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the form's own paths go by index.
          <div className={classes.traitRow} key={index}>
            <TextInput
              aria-label={t('projects.item.traitNameLabel', { n: index + 1 })}
              placeholder={t('projects.item.traitName')}
              readOnly={locked}
              {...form.getInputProps(`traits.${index}.name`)}
            />
            <TextInput
              aria-label={t('projects.item.traitValueLabel', { n: index + 1 })}
              placeholder={t('projects.item.traitValue')}
              readOnly={locked}
              {...form.getInputProps(`traits.${index}.value`)}
            />
            {!locked && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('projects.item.removeTrait', { n: index + 1 })}
                onClick={() => form.removeListItem('traits', index)}
              >
                <IconX {...smallIcon} />
              </ActionIcon>
            )}
          </div>
        ))}
      </Stack>
      {form.errors.traits !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {form.errors.traits}
        </Text>
      )}
      {!locked && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt={8}
          leftSection={<IconPlus {...icon} size={14} />}
          onClick={() => form.insertListItem('traits', { name: '', value: '' })}
        >
          {t('projects.item.addTrait')}
        </Button>
      )}
    </fieldset>
  );
}

/** The royalties that an import gave the item. They can be taken away here. */
function Shares({ form, locked }: { form: MetadataForm; locked: boolean }) {
  const { t } = useTranslation();
  const royalties = form.getValues().royalties ?? [];
  if (royalties.length === 0) return null;
  return (
    <div>
      <Royalties royalties={royalties} />
      {!locked && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconX {...smallIcon} />}
          onClick={() => form.setFieldValue('royalties', [])}
        >
          {t('projects.item.removeRoyalties')}
        </Button>
      )}
    </div>
  );
}

/** Where the item stands in its collection. */
function Place({ form, locked }: { form: MetadataForm; locked: boolean }) {
  const { t } = useTranslation();
  const number = (field: 'mintNumber' | ItemField, label: string, min: number) => (
    <WholeNumberInput
      key={field}
      label={label}
      min={min}
      readOnly={locked}
      value={Number(form.getValues()[field] ?? Number.NaN)}
      onChange={(value) => form.setFieldValue(field, value === '' ? undefined : value)}
    />
  );
  return (
    <Group grow align="flex-start">
      {number('mintNumber', t('projects.table.number'), 0)}
      {itemFieldRows.map(([field, { rule }]) =>
        rule instanceof z.ZodNumber ? (
          number(field, t(`import.cell.${field}`), rule.minValue ?? 0)
        ) : (
          <TextInput
            key={field}
            label={t(`import.cell.${field}`)}
            maxLength={rule.maxLength ?? undefined}
            readOnly={locked}
            value={form.getValues()[field] ?? ''}
            onChange={(event) => form.setFieldValue(field, event.currentTarget.value || undefined)}
          />
        ),
      )}
    </Group>
  );
}

function ItemEditor({ item }: { item: Item }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const locked = !isDraft(item);
  const form = useForm<Item['metadata']>({
    initialValues: item.metadata,
    validateInputOnChange: true,
    validate: (values) => metadataProblems(t, withoutEmptyTraits(values)),
  });
  const save = useMutation(
    api.items.update.mutationOptions({
      onSuccess: (saved) => {
        queries.setQueryData<Item[]>(
          api.items.list.queryKey({ input: { projectUid: saved.projectUid } }),
          (list) => list && upsert(list, saved, (one) => one.id),
        );
        offerProjectUndo(queries, saved.projectUid, t('projects.undo.change.edited', { count: 1 }));
      },
    }),
  );
  // This does not run once the dialog is closed: another may be open by then.
  const onSuccess = (): void => modals.close(MODAL);
  const submit = (values: Item['metadata']): void =>
    save.mutate({ id: item.id, metadata: withoutEmptyTraits(values) }, { onSuccess });
  return (
    <form onSubmit={form.onSubmit(submit)}>
      <div className={classes.editor}>
        <div>
          <div className={classes.editorPicture}>
            <Preview file={item.file} full />
          </div>
          <FileFacts item={item} />
        </div>
        <Stack gap="md">
          {locked && <Callout tone="info" title={t('projects.item.locked')} />}
          {item.failure !== null && <FailureNote failure={item.failure} />}
          <TextInput
            label={t('projects.item.name')}
            description={t('projects.item.nameHint')}
            readOnly={locked}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Textarea
            label={t('projects.item.description')}
            description={t('projects.item.descriptionHint')}
            readOnly={locked}
            autosize
            minRows={3}
            maxRows={8}
            {...form.getInputProps('description')}
          />
          {item.subType === 'collectionItem' && <Place form={form} locked={locked} />}
          <Traits form={form} locked={locked} />
          <Shares form={form} locked={locked} />
          <ErrorNote error={save.error} />
          <CloseGuard modalId={MODAL} hasChanges={!locked && form.isDirty()} />
          <Group className={classes.actions} justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => modals.close(MODAL)}>
              {t(locked ? 'common.close' : 'common.cancel')}
            </Button>
            {!locked && (
              <Button type="submit" loading={save.isPending}>
                {t('projects.item.save')}
              </Button>
            )}
          </Group>
        </Stack>
      </div>
    </form>
  );
}

/** Shows an item with its picture; while it is a draft its metadata can be changed. */
export function openItem(item: Item): void {
  const children = <ItemEditor key={item.id} item={item} />;
  modals.open({ modalId: MODAL, title: item.metadata.name, size: 880, children });
}
