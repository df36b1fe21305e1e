import { Button, Stack, Text } from '@mantine/core';
import { IconDownload, IconFileZip, IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../api/client.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import layout from '../../components/styles/layout.module.css';
import { formatBytes } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { saveBlob } from '../../lib/save-blob.ts';
import classes from './help.module.css';

/** A report for support. Each file is shown before the zip is saved, and nothing is sent. */
export function ReportPage() {
  const { t, i18n } = useTranslation();
  const preview = useMutation(api.diagnostics.preview.mutationOptions());
  const save = useMutation({
    mutationFn: async ({ id, fileName }: { id: string; fileName: string }) =>
      saveBlob(fileName, await client.diagnostics.zip({ id })),
  });
  const made = preview.data;
  const failure = preview.error ?? save.error;
  return (
    <Page
      title={t('help.report.title')}
      purpose={t('help.report.purpose')}
      crumbs={[{ label: t('help.title'), to: routes.help }]}
      actions={
        <>
          <Button
            variant={made === undefined ? 'filled' : 'default'}
            loading={preview.isPending}
            leftSection={<IconRefresh {...smallIcon} />}
            onClick={() => preview.mutate({})}
          >
            {t(made === undefined ? 'help.report.make' : 'help.report.again')}
          </Button>
          {made !== undefined && (
            <Button
              loading={save.isPending}
              leftSection={<IconDownload {...smallIcon} />}
              onClick={() => save.mutate(made)}
            >
              {t('help.report.save')}
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md">
        <ErrorNote error={failure} />
        {made === undefined ? (
          <Empty
            icon={<IconFileZip {...icon} size={24} />}
            title={t('help.report.none')}
            text={t('help.report.hint')}
          />
        ) : (
          <Text>{t('help.report.hint')}</Text>
        )}
        <div role="status">
          {save.isSuccess && made !== undefined && t('help.report.saved', { name: made.fileName })}
        </div>
        {made !== undefined && (
          <Panel title={t('help.report.files')} flush>
            {made.files.map(({ name, text }) => (
              <details key={name} className={classes.file}>
                <summary>
                  <span className="mono">{name}</span>
                  <span className={classes.linkText}>{formatBytes(new Blob([text]).size, i18n.language)}</span>
                </summary>
                <section
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard.
                  tabIndex={0}
                  aria-label={t('help.report.content', { name })}
                  className={`mono ${layout.text}`}
                >
                  {text}
                </section>
              </details>
            ))}
          </Panel>
        )}
      </Stack>
    </Page>
  );
}
