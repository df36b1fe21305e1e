import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useMoney } from '../../api/money.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { routes } from '../../lib/routes.ts';

/** Shown in place of a cancelled job or run, with a link to another mint of its project. @param fee satoshis that were paid before */
export function Cancelled({ projectUid, fee = 0 }: { projectUid: string; fee?: number }) {
  const { t } = useTranslation();
  const money = useMoney();
  return (
    <Callout
      tone="info"
      title={t('mint.cancelledTitle')}
      actions={
        <Button size="xs" component={Link} href={routes.mint(projectUid)}>
          {t('mint.mintMore')}
        </Button>
      }
    >
      {fee > 0 ? t('mint.cancelledPaid', { fee: money(fee) }) : t('mint.cancelledText')}
    </Callout>
  );
}
