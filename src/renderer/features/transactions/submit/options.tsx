import { Checkbox, Collapse, MultiSelect, Select, Stack, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { minerProtocols } from '../../../../contract/index.ts';
import { api, type Client } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { WholeNumberInput } from '../../../components/forms/whole-number-input.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { shownMinerName } from '../../../i18n/phrases.ts';
import classes from './submit.module.css';

type Submission = Parameters<Client['tx']['submit']>[0];
export type Choices = Omit<Submission, 'source'>;

const strategies = ['first', 'all', 'race'] as const;
const switches = [
  'merkleProof',
  'dsCheck',
  'fullStatusUpdates',
  'cumulativeFeeValidation',
  'forceValidation',
  'skipFeeValidation',
  'skipScriptValidation',
  'skipTxValidation',
] as const;
/** Statuses of ARC in the order in which they are reached. */
const statuses = ['RECEIVED', 'STORED', 'ANNOUNCED_TO_NETWORK', 'ACCEPTED_BY_NETWORK', 'SEEN_ON_NETWORK', 'MINED'];

function More({ choices, onChange }: { choices: Choices; onChange: (choices: Choices) => void }) {
  const { t } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  const Chevron = open ? IconChevronDown : IconChevronRight;
  const { options = {} } = choices;
  const setOptions = (next: Partial<typeof options>): void =>
    onChange({ ...choices, options: { ...options, ...next } });
  return (
    <div>
      <UnstyledButton className={classes.more} aria-expanded={open} onClick={toggle}>
        <Chevron {...smallIcon} aria-hidden /> {t('submitted.submit.more')}
      </UnstyledButton>
      <Collapse expanded={open} keepMounted={false}>
        <Stack gap="xs" mt="xs">
          {switches.map((name) => (
            <Checkbox
              key={name}
              size="xs"
              label={t(`submitted.submit.${name}`)}
              checked={options[name] ?? false}
              onChange={(event) => setOptions({ [name]: event.currentTarget.checked })}
            />
          ))}
          <Select
            size="xs"
            label={t('submitted.submit.waitFor')}
            placeholder={t('submitted.submit.waitForNothing')}
            clearable
            clearButtonProps={{ 'aria-label': t('common.clearFilter') }}
            data={statuses}
            value={options.waitFor ?? null}
            onChange={(value) => setOptions({ waitFor: value ?? undefined })}
          />
          <WholeNumberInput
            size="xs"
            label={t('submitted.submit.maxTimeout')}
            min={1}
            max={30}
            value={options.maxTimeout ?? ''}
            onChange={(value) => setOptions({ maxTimeout: value === '' ? undefined : value })}
          />
          <Checkbox
            size="xs"
            label={t('submitted.submit.force')}
            checked={choices.force ?? false}
            onChange={(event) => onChange({ ...choices, force: event.currentTarget.checked })}
          />
        </Stack>
      </Collapse>
    </div>
  );
}

export function Options({ choices, onChange }: { choices: Choices; onChange: (choices: Choices) => void }) {
  const { t } = useTranslation();
  const miners = useQuery(api.miners.list.queryOptions()).data?.filter(({ enabled, url }) => enabled && url !== '');
  const strategy = choices.strategy ?? 'first';
  return (
    <Panel title={t('submitted.submit.where')}>
      <Stack gap="sm">
        {miners?.length === 0 && <Callout tone="wait" title={t('submitted.submit.noMiners')} />}
        <MultiSelect
          label={t('submitted.submit.miners')}
          description={t('submitted.submit.minersHint')}
          placeholder={choices.minerIds === undefined ? t('submitted.submit.minersAll') : ''}
          data={(miners ?? []).map(({ id, name, kind }) => ({
            value: id,
            label: t('submitted.submit.minerOf', { name: shownMinerName(name), kind: minerProtocols[kind].name }),
          }))}
          value={choices.minerIds ?? []}
          onChange={(minerIds) => onChange({ ...choices, minerIds: minerIds.length === 0 ? undefined : minerIds })}
        />
        <Select
          label={t('submitted.submit.strategy')}
          description={t(`submitted.submit.strategyHint.${strategy}`)}
          allowDeselect={false}
          data={strategies.map((value) => ({ value, label: t(`submitted.submit.strategies.${value}`) }))}
          value={strategy}
          onChange={(value) => onChange({ ...choices, strategy: strategies.find((one) => one === value) ?? 'first' })}
        />
        <TextInput
          label={t('submitted.submit.label')}
          description={t('submitted.submit.labelHint')}
          maxLength={200}
          value={choices.label ?? ''}
          onChange={(event) => onChange({ ...choices, label: event.currentTarget.value })}
        />
        <More choices={choices} onChange={onChange} />
      </Stack>
    </Panel>
  );
}
