import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Callout } from '../../components/page.tsx';
import { routes } from '../../lib/routes.ts';

/** What stands in place of a job or a run that was cancelled, and the way to another mint of its project. */
export function Cancelled({ projectUid }: { projectUid: string }) {
  const { t } = useTranslation();
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
      {t('mint.cancelledText')}
    </Callout>
  );
}
