import { Popover, Stack, UnstyledButton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoneyForm } from '../../../api/money.ts';
import { shownUnit } from '../../../lib/money/money.ts';
import classes from './top-bar.module.css';

const MoneyChoice = lazy(async () => ({
  default: (await import('../../../components/money/money-choice.tsx')).MoneyChoice,
}));

/** The unit of amounts on the page, and the menu to change it. */
export function MoneyMenu() {
  const { t } = useTranslation();
  const form = useMoneyForm();
  const unit = shownUnit(form);
  const sign = unit === 'satoshi' ? 'sat' : unit === 'bsv' ? 'BSV' : form.rate?.code;
  const label = t('app.money.label', { unit: sign });
  return (
    <Popover position="bottom-end" width={320} withinPortal={false} floatingStrategy="fixed" trapFocus shadow="md">
      <Popover.Target>
        <UnstyledButton className={classes.unit} aria-label={label} title={label}>
          {sign}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <Suspense fallback={<Stack h={140} />}>
          <MoneyChoice />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
