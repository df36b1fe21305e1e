import { Stack, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../api/client.ts';
import { useCurrencyRate, useRateText } from '../../api/money.ts';
import { ErrorNote, FailureNote } from '../callouts/failure-note.tsx';
import layout from '../styles/layout.module.css';
import { useNow } from '../values/use-now.ts';
import './texts.ts';

/** Turns on amounts in US dollars. No price is requested before that. Names the source and the time of the price. */
export function RateSwitch() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const now = useNow();
  const { failure, isRead } = useCurrencyRate();
  const rateText = useRateText();
  const set = useMutation({
    mutationFn: (on: boolean) => client.settings.set({ key: 'currency.source', value: on ? 'whatsonchain' : 'own' }),
    onSettled: () => queries.invalidateQueries({ queryKey: api.settings.key() }),
  });
  return (
    <Stack gap={6}>
      <Switch
        size="xs"
        label={t('money.read')}
        description={t('money.readHint')}
        checked={isRead}
        disabled={set.isPending}
        onChange={(event) => set.mutate(event.currentTarget.checked)}
      />
      <ErrorNote error={set.error} />
      {isRead && failure !== null && <FailureNote failure={failure} tone="wait" />}
      {rateText !== undefined && <div className={layout.dim}>{rateText(now)}</div>}
    </Stack>
  );
}
