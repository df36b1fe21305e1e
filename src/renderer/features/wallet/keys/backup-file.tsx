import { Button, FileInput, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_BACKUP_TEXT } from '../../../../contract/index.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';

interface BackupFileProps<Result> {
  readonly action: string;
  readonly icon: ReactNode;
  readonly use: (file: { text: string; passphrase: string }) => Promise<Result>;
  /** What is said of the result; without it, `use` says that itself. */
  readonly done?: (result: Result) => string;
  /** In a dialog: closes it. */
  readonly onClose?: () => void;
  /** What else has to be given. */
  readonly more?: { readonly fields: ReactNode; readonly isReady: boolean };
}

/** Asks for a backup file and its passphrase, and does something with them. */
export function BackupFile<Result>({ action, icon, use, done, onClose, more }: BackupFileProps<Result>) {
  const { t } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const [passphrase, setPassphrase] = useState('');
  const tooLarge = file !== null && file.size > MAX_BACKUP_TEXT;
  const run = useMutation({
    mutationFn: async (chosen: File) => use({ text: await chosen.text(), passphrase }),
    onSuccess: () => setPassphrase(''),
  });
  const submit = (): void => {
    if (file !== null && !tooLarge && more?.isReady !== false) run.mutate(file);
  };
  return (
    <form onSubmit={formSubmit(submit)}>
      <Stack gap="md">
        <FileInput
          label={t('wallet.keys.file')}
          placeholder={t('wallet.keys.choose')}
          accept=".json,application/json"
          error={tooLarge ? t('wallet.keys.tooLarge') : undefined}
          value={file}
          onChange={(chosen) => {
            setFile(chosen);
            run.reset();
          }}
        />
        <PasswordInput
          label={t('wallet.keys.passphrase')}
          autoComplete="off"
          value={passphrase}
          onChange={(event) => setPassphrase(event.currentTarget.value)}
        />
        {more?.fields}
        <ErrorNote error={run.error} />
        {run.isSuccess && done && <Callout tone="done" role="status" title={done(run.data)} />}
        <Group justify={onClose ? 'flex-end' : 'flex-start'} gap="xs">
          {onClose && (
            <Button variant="default" onClick={onClose}>
              {t(run.isSuccess ? 'common.close' : 'common.cancel')}
            </Button>
          )}
          <Button
            type="submit"
            variant={onClose || more ? 'filled' : 'default'}
            leftSection={icon}
            disabled={file === null || tooLarge || passphrase === '' || more?.isReady === false}
            loading={run.isPending}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
