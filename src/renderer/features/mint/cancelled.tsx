import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Callout } from '../../components/callouts/callout.tsx';
import { formatSatoshis } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';

/** What stands in place of a job or a run that was cancelled, and the way to another mint of its project. @param fee satoshis that were paid before */
export function Cancelled({ projectUid, fee = 0 }: { projectUid: string; fee?: number }) {
  const { t, i18n } = useTranslation();
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
      {fee > 0 ? t('mint.cancelledPaid', { fee: formatSatoshis(fee, i18n.language) }) : t('mint.cancelledText')}
    </Callout>
  );
}
