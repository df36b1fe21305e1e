import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ImportMapping, MAX_ROYALTIES, royaltySchema } from '../../../../contract/index.ts';
import { AddressField } from '../../../components/address/address-field.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import classes from './import.module.css';
import importRowsClasses from './import-rows.module.css';
import { FileSelect } from './import-rows.tsx';

type Options = ImportMapping['options'];
type Royalty = Options['royalties'][number];

interface CollectionProps {
  importId: string;
  mapping: ImportMapping;
  disabled: boolean;
  onChange: (change: { options: Partial<Options> }) => void;
}

/** The file the collection token is made of: the one that would be taken is shown, another one can be chosen. */
function Cover({ importId, mapping, disabled, onChange }: CollectionProps) {
  const { t } = useTranslation();
  const { cover } = mapping;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      {cover !== null && (
        <div className={importRowsClasses.picture}>
          <Thumbnail file={cover} small />
        </div>
      )}
      <FileSelect
        importId={importId}
        onlyStored
        flex={1}
        clearable={mapping.options.cover !== null}
        label={t('import.cover')}
        placeholder={cover?.name ?? t('import.none')}
        disabled={disabled}
        onChoose={(id) => onChange({ options: { cover: Number(id) } })}
      />
      {mapping.options.cover !== null && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('import.coverClear')}
          onClick={() => onChange({ options: { cover: null } })}
        >
          <IconX {...smallIcon} />
        </ActionIcon>
      )}
    </Group>
  );
}

/** Converts a share of one into the percentage that is typed, and back. */
const percentOf = (share: string): string => String(Number((Number(share) * 100).toFixed(4)));
const shareOf = (percent: string): string =>
  (Number(percent.replace(',', '.')) / 100).toFixed(6).replace(/\.?0+$/, '') || '0';

interface Draft {
  readonly destination: string;
  readonly percent: string;
}

function valid(drafts: readonly Draft[]): Royalty[] | undefined {
  const royalties = drafts.map(({ destination, percent }) => ({ destination, percentage: shareOf(percent) }));
  const fine = royalties.every((one) => royaltySchema.safeParse(one).success && Number(one.percentage) > 0);
  const whole = royalties.reduce((sum, { percentage }) => sum + Number(percentage), 0);
  return fine && whole <= 1 ? royalties : undefined;
}

function Royalties({ mapping, disabled, onChange }: Omit<CollectionProps, 'importId'>) {
  const { t } = useTranslation();
  const kept = mapping.options.royalties;
  const [drafts, setDrafts] = useState<readonly Draft[]>(
    kept.map(({ destination, percentage }) => ({ destination, percent: percentOf(percentage) })),
  );
  const proposal = mapping.royaltyProposal;
  const whole = proposal.reduce((sum, { percentage }) => sum + Number(percentage), 0);
  const royalties = valid(drafts);
  const keep = (next: readonly Draft[]): void => {
    const wanted = valid(next);
    if (wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(kept))
      onChange({ options: { royalties: wanted } });
  };
  const edit = (index: number, changes: Partial<Draft>): void =>
    setDrafts(drafts.map((one, at) => (at === index ? { ...one, ...changes } : one)));
  return (
    <fieldset className={classes.royalties} onBlur={() => keep(drafts)}>
      <Text component="legend" size="xs" fw={500} p={0}>
        {t('import.royalties')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('import.royaltiesHint')}
      </Text>
      {drafts.map(({ destination, percent }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place alone.
        <Group key={index} gap={6} wrap="nowrap" mt={6}>
          <AddressField
            size="xs"
            className={classes.royaltyTo}
            aria-label={t('import.royaltyTo', { n: index + 1 })}
            placeholder={t('import.royaltyPlaceholder')}
            paymail
            quiet
            disabled={disabled}
            value={destination}
            onChange={(next) => edit(index, { destination: next.trim() })}
          />
          <TextInput
            size="xs"
            w={64}
            inputMode="decimal"
            aria-label={t('import.royaltyPercent', { n: index + 1 })}
            rightSection="%"
            disabled={disabled}
            value={percent}
            onChange={(event) => edit(index, { percent: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('import.royaltyRemove', { n: index + 1 })}
            onClick={() => {
              const left = drafts.filter((_, at) => at !== index);
              setDrafts(left);
              keep(left);
            }}
          >
            <IconX {...smallIcon} />
          </ActionIcon>
        </Group>
      ))}
      {royalties === undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4} role="status">
          {t('import.royaltyWrong')}
        </Text>
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        mt={6}
        leftSection={<IconPlus {...smallIcon} />}
        disabled={disabled || drafts.length >= MAX_ROYALTIES}
        onClick={() =>
          setDrafts([
            ...drafts,
            { destination: '', percent: drafts.length === 0 && whole > 0 ? percentOf(String(whole)) : '5' },
          ])
        }
      >
        {t('import.royaltyAdd')}
      </Button>
    </fieldset>
  );
}

/** What the collection token says and shows. */
export function CollectionChoices(props: CollectionProps) {
  const { t } = useTranslation();
  const { mapping, disabled, onChange } = props;
  const { options, collectionProposal: offered } = mapping;
  if (options.projectType !== 'collection') return <Royalties {...props} />;
  const mayName = offered.name !== '' && offered.name !== options.projectName && options.projectUid === null;
  const mayDescribe = offered.description !== '' && offered.description !== options.collectionDescription;
  return (
    <Panel title={t('import.collection')}>
      <Stack gap="sm">
        <Cover {...props} />
        {mayName && (
          <Button
            size="compact-xs"
            variant="default"
            classNames={{ root: classes.offer, label: classes.offerText }}
            disabled={disabled}
            onClick={() => onChange({ options: { projectName: offered.name } })}
          >
            {t('import.useName', { name: offered.name })}
          </Button>
        )}
        <Textarea
          key={`description ${options.collectionDescription}`}
          size="xs"
          rows={3}
          maxLength={2_000}
          label={t('import.description')}
          defaultValue={options.collectionDescription}
          disabled={disabled}
          onBlur={({ currentTarget: { value } }) => {
            if (value.trim() !== options.collectionDescription)
              onChange({ options: { collectionDescription: value.trim() } });
          }}
        />
        {mayDescribe && (
          <Button
            size="compact-xs"
            variant="default"
            classNames={{ root: classes.offer, label: classes.offerText }}
            disabled={disabled}
            title={offered.description}
            onClick={() => onChange({ options: { collectionDescription: offered.description } })}
          >
            {t('import.useDescription')}
          </Button>
        )}
        <Royalties {...props} />
      </Stack>
    </Panel>
  );
}
