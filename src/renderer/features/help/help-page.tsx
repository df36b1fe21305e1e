import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Page, Panel } from '../../components/page.tsx';
import { Documents } from './documents.tsx';
import { RepairLinks } from './repair-links.tsx';

/** Troubleshooting pages and all documents. The help of a view is opened in the view with `?`. */
export function HelpPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('help.title')} purpose={t('help.purpose')}>
      <Stack gap="md">
        <Panel title={t('help.repair')}>
          <RepairLinks />
        </Panel>
        <Documents />
      </Stack>
    </Page>
  );
}
