import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Remember } from '../../../contract/index.ts';
import { AmountInput } from '../../components/money/amount-input.tsx';
import classes from './approvals.module.css';

const DAY_MS = 86_400_000;
const periods = { day: 1, week: 7, month: 30 } as const;
type Period = keyof typeof periods;

interface RememberFormProps {
  amount: number;
  busy: boolean;
  onCancel: () => void;
  onRemember: (remember: Remember) => void;
}

/** A permission for the program without further requests: the limits per request and per day, and its end. */
export function RememberForm({ amount, busy, onCancel, onRemember }: RememberFormProps) {
  const { t } = useTranslation();
  const [each, setEach] = useState<number | string>(amount);
  const [perDay, setPerDay] = useState<number | string>(amount * 10);
  const [period, setPeriod] = useState<Period>('week');
  const [mostEach, mostPerDay] = [Number(each), Number(perDay)];
  const isValid = mostEach >= 1 && mostPerDay >= mostEach;
  const field = { min: 1, step: 1_000 } as const;
  return (
    <Stack
      component="form"
      className={classes.decision}
      gap="sm"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault();
        if (isValid) onRemember({ mostEach, mostPerDay, expiresAt: Date.now() + periods[period] * DAY_MS });
      }}
    >
      <Text size="sm">{t('approvals.rememberMeans')}</Text>
      <Group grow align="flex-start">
        <AmountInput {...field} data-autofocus label={t('approvals.each')} value={each} onChange={setEach} />
        <AmountInput
          {...field}
          label={t('approvals.perDay')}
          value={perDay}
          onChange={setPerDay}
          error={mostPerDay < mostEach ? t('approvals.perDayTooLow') : undefined}
        />
        <Select
          label={t('approvals.until')}
          data={Object.keys(periods).map((value) => ({ value, label: t(`approvals.period.${value as Period}`) }))}
          value={period}
          onChange={(value) => setPeriod((value ?? 'week') as Period)}
          allowDeselect={false}
        />
      </Group>
      <Group justify="flex-end">
        <Button variant="default" disabled={busy} onClick={onCancel}>
          {t('approvals.back')}
        </Button>
        <Button type="submit" loading={busy} disabled={!isValid}>
          {t('approvals.approveAndRemember')}
        </Button>
      </Group>
    </Stack>
  );
}
