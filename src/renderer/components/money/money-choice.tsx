import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type MoneyUnit, moneyUnits } from '../../../contract/index.ts';
import { chooseMoneyUnit, useMoneyForm } from '../../api/money.ts';
import { shownUnit } from '../../lib/money/money.ts';
import { routes } from '../../lib/routes.ts';
import { RateSwitch } from './rate-switch.tsx';
import './texts.ts';

/** Satoshis, BSV, or a currency. The currency needs a rate that the person chose; its source and time are shown below. */
export function MoneyChoice() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const form = useMoneyForm();
  const code = form.rate?.code ?? t('money.currency');
  const labels = { satoshi: t('money.satoshi'), bsv: 'BSV', currency: code };
  return (
    <Stack gap="sm">
      <Text size="sm" fw={550}>
        {t('money.title')}
      </Text>
      <SegmentedControl
        data-autofocus
        fullWidth
        aria-label={t('money.title')}
        value={shownUnit(form)}
        onChange={(unit) => chooseMoneyUnit(queries, unit as MoneyUnit)}
        data={moneyUnits.map((value) => ({
          value,
          label: labels[value],
          disabled: value === 'currency' && form.rate === null,
        }))}
      />
      <RateSwitch />
      <Text size="xs" c="dimmed">
        {t('money.reviews')}
      </Text>
      <Text size="xs">
        <Link href={routes.setting('currency')} className="link">
          {t('money.settings')}
        </Link>
      </Text>
    </Stack>
  );
}
