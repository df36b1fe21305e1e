import { Button, Stack } from '@mantine/core';
import { IconDownload, IconFileCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { NewPassphraseFields, useNewPassphrase } from '../../../components/forms/new-passphrase.tsx';
import { icon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { saveBlob } from '../../../lib/save-blob.ts';
import { BackupFile } from './backup-file.tsx';

/** Seals the seed under a passphrase and hands it to the person as a file. */
export function MakeBackup() {
  const { t } = useTranslation();
  const passphrase = useNewPassphrase();
  const make = useMutation({
    mutationFn: async () => {
      const { fileName, text, labelsLeftOut } = await client.wallet.backup.create({ passphrase: passphrase.first });
      saveBlob(fileName, new Blob([text]));
      return { file: fileName, count: labelsLeftOut };
    },
    onSuccess: passphrase.clear,
  });
  return (
    <Panel title={t('wallet.keys.create')} hint={t('wallet.keys.createHint')}>
      <form onSubmit={formSubmit(() => passphrase.isGood && make.mutate())}>
        <Stack gap="md">
          <NewPassphraseFields label={t('wallet.keys.passphrase')} of={passphrase} />
          <ErrorNote error={make.error} />
          {make.isSuccess && (
            <Callout tone="done" role="status" title={t('wallet.keys.made', { file: make.data.file })} />
          )}
          {make.isSuccess && make.data.count > 0 && (
            <Callout tone="wait" role="status" title={t('wallet.keys.labelsLeftOut', { count: make.data.count })} />
          )}
          <Button
            type="submit"
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<IconDownload {...icon} />}
            disabled={!passphrase.isGood}
            loading={make.isPending}
          >
            {t('wallet.keys.download')}
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}

/** Checks that a file restores exactly this wallet. */
export function CheckBackup() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <Panel title={t('wallet.keys.check')} hint={t('wallet.keys.checkHint')}>
      <BackupFile
        action={t('wallet.keys.checkSubmit')}
        icon={<IconFileCheck {...icon} />}
        use={async (file) => {
          queries.setQueryData(api.wallet.backup.status.queryKey(), await client.wallet.backup.check(file));
        }}
        done={() => t('wallet.keys.checkDone')}
      />
    </Panel>
  );
}
