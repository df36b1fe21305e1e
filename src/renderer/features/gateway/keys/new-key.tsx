import { Button, Group, MultiSelect, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type NewGatewayKey, newGatewayKeySchema } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Panel } from '../../../components/page.tsx';
import { type Lifetime, lifetimes, readExpiry } from './expiry.ts';
import './texts.ts';

/** A credential for one program: what it may call, how often and how long. */
export function NewKey({ onCreate }: { onCreate: (wanted: NewGatewayKey) => Promise<boolean> }) {
  const { t } = useTranslation();
  const commands = useQuery(api.gateway.commands.queryOptions({ staleTime: Number.POSITIVE_INFINITY })).data ?? [];
  const [name, setName] = useState('');
  const [methods, setMethods] = useState<string[]>([]);
  const [rate, setRate] = useState('');
  const [daily, setDaily] = useState('');
  const [kibibytes, setKibibytes] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('never');
  const [date, setDate] = useState('');
  const expiresAt = readExpiry(lifetime, date, Date.now());
  const input = newGatewayKeySchema.safeParse({
    name,
    methods: methods.length === 0 ? null : methods,
    rate: rate.trim() === '' ? null : Number(rate),
    dailyCalls: daily.trim() === '' ? null : Number(daily),
    bodyBytes: kibibytes.trim() === '' ? null : Number(kibibytes) * 1_024,
    expiresAt: expiresAt ?? null,
  });
  const wrong = (field: string): boolean => !input.success && input.error.issues.some(({ path }) => path[0] === field);
  const order = ['label', 'input', 'error', 'description'] as const;
  const inputWrapperOrder = [...order];
  return (
    <Panel title={t('gateway.keysTitle')} hint={t('gateway.keysHint')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!input.success || expiresAt === undefined) return;
          void onCreate(input.data).then((done) => {
            if (!done) return;
            setName('');
            setMethods([]);
            setRate('');
            setDaily('');
            setKibibytes('');
            setLifetime('never');
            setDate('');
          });
        }}
      >
        <Stack gap="md">
          <SimpleGrid cols={3} spacing="md">
            <TextInput
              label={t('gateway.keyName')}
              description={t('gateway.keyNameHint')}
              inputWrapperOrder={inputWrapperOrder}
              error={name !== '' && wrong('name') ? t('gateway.keyNameWrong') : undefined}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
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
              onChange={setMethods}
            />
            <TextInput
              label={t('gateway.keyRate')}
              description={t('gateway.keyRateHint')}
              inputWrapperOrder={inputWrapperOrder}
              inputMode="numeric"
              error={wrong('rate') ? t('gateway.keyRateWrong') : undefined}
              value={rate}
              onChange={(event) => setRate(event.currentTarget.value)}
            />
            <TextInput
              label={t('keyUsage.daily')}
              description={t('keyUsage.dailyHint')}
              inputWrapperOrder={inputWrapperOrder}
              inputMode="numeric"
              error={wrong('dailyCalls') ? t('keyUsage.dailyWrong') : undefined}
              value={daily}
              onChange={(event) => setDaily(event.currentTarget.value)}
            />
            <TextInput
              label={t('gateway.keyBody')}
              description={t('gateway.keyBodyHint')}
              inputWrapperOrder={inputWrapperOrder}
              inputMode="numeric"
              error={wrong('bodyBytes') ? t('gateway.keyBodyWrong') : undefined}
              value={kibibytes}
              onChange={(event) => setKibibytes(event.currentTarget.value)}
            />
            <Select
              label={t('gateway.keyExpiry')}
              description={t('gateway.keyExpiryHint')}
              inputWrapperOrder={inputWrapperOrder}
              allowDeselect={false}
              data={lifetimes.map((value) => ({ value, label: t(`gateway.lifetimes.${value}`) }))}
              value={lifetime}
              onChange={(value) => value !== null && setLifetime(value as Lifetime)}
            />
            {lifetime === 'date' && (
              <TextInput
                type="datetime-local"
                label={t('gateway.keyUntil')}
                description={t('gateway.keyUntilHint')}
                inputWrapperOrder={inputWrapperOrder}
                error={date !== '' && expiresAt === undefined ? t('gateway.keyUntilWrong') : undefined}
                value={date}
                onChange={(event) => setDate(event.currentTarget.value)}
              />
            )}
          </SimpleGrid>
          <Group justify="flex-end">
            <Button type="submit" disabled={!input.success || expiresAt === undefined}>
              {t('gateway.createKey')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
