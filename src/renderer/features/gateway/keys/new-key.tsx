import { Button, Group, MultiSelect, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type NewGatewayKey, newGatewayKeySchema } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { Panel } from '../../../components/page.tsx';
import { type Lifetime, lifetimes, readExpiry } from './expiry.ts';
import './texts.ts';

const empty = {
  name: '',
  methods: [] as string[],
  rate: '',
  dailyCalls: '',
  /** In KiB. */
  bodyBytes: '',
  lifetime: 'never' as Lifetime,
  date: '',
};

/** Optional limits of a key, with their texts. */
const limits = { rate: 'gateway.keyRate', dailyCalls: 'keyUsage.daily', bodyBytes: 'gateway.keyBody' } as const;

const limitOf = (typed: string, unit = 1): number | null => (typed.trim() === '' ? null : Number(typed) * unit);

/** Creates a credential for one program: what it may call, how often and how long. */
export function NewKey({ onCreate }: { onCreate: (wanted: NewGatewayKey) => Promise<unknown> }) {
  const { t } = useTranslation();
  const commands = useQuery(api.gateway.commands.queryOptions({ staleTime: Number.POSITIVE_INFINITY })).data ?? [];
  const [draft, setDraft] = useState(empty);
  const change = <Field extends keyof typeof empty>(field: Field, value: (typeof empty)[Field]): void =>
    setDraft((before) => ({ ...before, [field]: value }));
  const { name, methods, lifetime, date } = draft;
  // Whoever creates it says why that failed.
  const create = useMutation({
    mutationFn: (wanted: NewGatewayKey) => onCreate(wanted),
    onSuccess: () => setDraft(empty),
  });
  const expiresAt = readExpiry(lifetime, date, Date.now());
  const input = newGatewayKeySchema.safeParse({
    name,
    methods: methods.length === 0 ? null : methods,
    rate: limitOf(draft.rate),
    dailyCalls: limitOf(draft.dailyCalls),
    bodyBytes: limitOf(draft.bodyBytes, 1_024),
    expiresAt: expiresAt ?? null,
  });
  const wrong = (field: string): boolean => !input.success && input.error.issues.some(({ path }) => path[0] === field);
  const order = ['label', 'input', 'error', 'description'] as const;
  const inputWrapperOrder = [...order];
  return (
    <Panel title={t('gateway.keysTitle')} hint={t('gateway.keysHint')}>
      <form
        onSubmit={formSubmit(() => {
          if (input.success && expiresAt !== undefined && !create.isPending) create.mutate(input.data);
        })}
      >
        <Stack gap="md">
          <SimpleGrid cols={3} spacing="md">
            <TextInput
              label={t('gateway.keyName')}
              description={t('gateway.keyNameHint')}
              inputWrapperOrder={inputWrapperOrder}
              error={name !== '' && wrong('name') ? t('gateway.keyNameWrong') : undefined}
              value={name}
              onChange={(event) => change('name', event.currentTarget.value)}
            />
            <MultiSelect
              label={t('gateway.keyMethods')}
              description={t('gateway.keyMethodsHint')}
              inputWrapperOrder={inputWrapperOrder}
              searchable
              clearable
              hidePickedOptions
              placeholder={methods.length === 0 ? t('gateway.allMethods') : undefined}
              nothingFoundMessage={t('common.noMatches')}
              data={commands.map((command) => command.name)}
              value={methods}
              onChange={(chosen) => change('methods', chosen)}
            />
            {(['rate', 'dailyCalls', 'bodyBytes'] as const).map((field) => (
              <TextInput
                key={field}
                label={t(limits[field])}
                description={t(`${limits[field]}Hint`)}
                inputWrapperOrder={inputWrapperOrder}
                inputMode="numeric"
                error={wrong(field) ? t(`${limits[field]}Wrong`) : undefined}
                value={draft[field]}
                onChange={(event) => change(field, event.currentTarget.value)}
              />
            ))}
            <Select
              label={t('gateway.keyExpiry')}
              description={t('gateway.keyExpiryHint')}
              inputWrapperOrder={inputWrapperOrder}
              allowDeselect={false}
              data={lifetimes.map((value) => ({ value, label: t(`gateway.lifetimes.${value}`) }))}
              value={lifetime}
              onChange={(value) => value !== null && change('lifetime', value as Lifetime)}
            />
            {lifetime === 'date' && (
              <TextInput
                type="datetime-local"
                label={t('gateway.keyUntil')}
                description={t('gateway.keyUntilHint')}
                inputWrapperOrder={inputWrapperOrder}
                error={date !== '' && expiresAt === undefined ? t('gateway.keyUntilWrong') : undefined}
                value={date}
                onChange={(event) => change('date', event.currentTarget.value)}
              />
            )}
          </SimpleGrid>
          <Group justify="flex-end">
            <Button type="submit" disabled={!input.success || expiresAt === undefined} loading={create.isPending}>
              {t('gateway.createKey')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
