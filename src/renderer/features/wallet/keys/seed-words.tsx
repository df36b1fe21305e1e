import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { icon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import classes from './seed-words.module.css';

/** Long enough to write 24 words down, short enough for a window that was left open. */
const SHOWN_MS = 180_000;

/** The words, after the vault's passphrase was given again. They are kept in this view only, and hidden after a while. */
export function SeedWords({ hasPassphrase }: { hasPassphrase: boolean }) {
  const { t } = useTranslation();
  const worthless = useLive(({ wallet }) => wallet?.worthless === true);
  const [passphrase, setPassphrase] = useState('');
  const reveal = useMutation({
    // Not cached after the words are hidden.
    gcTime: 0,
    mutationFn: () => client.wallet.seed.reveal({ passphrase }),
    onSettled: () => setPassphrase(''),
  });
  const { data, reset } = reveal;
  useEffect(() => {
    if (data === undefined) return;
    const timer = setTimeout(reset, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [data, reset]);
  return (
    <Panel title={t('wallet.keys.seed')} hint={t('wallet.keys.seedHint')}>
      {!hasPassphrase ? (
        <Text>{t('wallet.keys.passphraseFirst')}</Text>
      ) : data === undefined ? (
        <form onSubmit={formSubmit(() => reveal.mutate())}>
          <Stack gap="md" align="flex-start" maw={420}>
            {!worthless && (
              <PasswordInput
                w="100%"
                label={t('wallet.keys.vaultPassphrase')}
                autoComplete="current-password"
                value={passphrase}
                onChange={(event) => setPassphrase(event.currentTarget.value)}
              />
            )}
            <ErrorNote error={reveal.error} />
            <Button
              type="submit"
              variant="default"
              leftSection={<IconEye {...icon} />}
              disabled={!worthless && passphrase === ''}
              loading={reveal.isPending}
            >
              {t('wallet.keys.reveal')}
            </Button>
          </Stack>
        </form>
      ) : (
        <Stack gap="md" align="flex-start">
          <ol className={classes.words} aria-label={t('wallet.keys.wordsLabel')}>
            {data.words.split(' ').map((word, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a word may stand twice, and their order never changes.
              <li key={index}>{word}</li>
            ))}
          </ol>
          <Button variant="default" leftSection={<IconEyeOff {...icon} />} onClick={reset}>
            {t('wallet.keys.hide')}
          </Button>
        </Stack>
      )}
    </Panel>
  );
}
