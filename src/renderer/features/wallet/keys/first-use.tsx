import { Button, PasswordInput, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api/client.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { WholeNumberInput } from '../../../components/forms/whole-number-input.tsx';
import { Panel } from '../../../components/page.tsx';
import { showToast } from '../../../components/toasts/toast-store.ts';
import classes from '../wallet.module.css';
import { BackupFile } from './backup-file.tsx';
import { useFirstPassphrase } from './first-passphrase.tsx';
import { showStatus } from './unlock.tsx';
import { isWordCount, wordCounts, wordsOf } from './words.ts';

function Create() {
  const { t } = useTranslation();
  const [words, setWords] = useState<(typeof wordCounts)[number]>(12);
  const vault = useFirstPassphrase();
  const create = useMutation({
    mutationFn: async () => {
      await vault.give();
      return client.wallet.create({ words });
    },
    onSuccess: showStatus,
  });
  return (
    <form onSubmit={formSubmit(() => vault.isReady && create.mutate())}>
      <Stack gap="md" align="flex-start">
        <Text>{t('wallet.first.createHint')}</Text>
        <Select
          label={t('wallet.first.words')}
          allowDeselect={false}
          data={wordCounts.map((n) => ({ value: String(n), label: t('wallet.first.wordCount', { n }) }))}
          value={String(words)}
          onChange={(value) => setWords(wordCounts.find((n) => String(n) === value) ?? 12)}
        />
        {vault.fields}
        <ErrorNote error={create.error} />
        <Button type="submit" disabled={!vault.isReady} loading={create.isPending}>
          {t('wallet.first.submitCreate')}
        </Button>
      </Stack>
    </form>
  );
}

function Restore() {
  const { t } = useTranslation();
  const [phrase, setPhrase] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [height, setHeight] = useState<number | string>('');
  const vault = useFirstPassphrase();
  const restore = useMutation({
    mutationFn: async (from: Parameters<typeof client.wallet.restore>[0]) => {
      await vault.give();
      return client.wallet.restore(from);
    },
    onSuccess: showStatus,
  });
  const words = wordsOf(phrase);
  const complete = isWordCount(words.length);
  return (
    <form
      onSubmit={formSubmit(() => {
        if (!complete || !vault.isReady) return;
        restore.mutate({
          words: words.join(' '),
          ...(passphrase === '' ? {} : { passphrase }),
          ...(height === '' ? {} : { birthHeight: Number(height) }),
        });
      })}
    >
      <Stack gap="md">
        <Text>{t('wallet.first.restoreHint')}</Text>
        <Textarea
          label={t('wallet.first.phrase')}
          description={
            words.length === 0 ? t('wallet.first.phraseHint') : t('wallet.first.phraseCount', { n: words.length })
          }
          rows={3}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          maxLength={1_024}
          value={phrase}
          onChange={(event) => setPhrase(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('wallet.first.passphrase')}
          description={t('wallet.first.passphraseHint')}
          autoComplete="off"
          value={passphrase}
          onChange={(event) => setPassphrase(event.currentTarget.value)}
        />
        <WholeNumberInput
          label={t('wallet.first.height')}
          description={t('wallet.first.heightHint')}
          min={0}
          value={height}
          onChange={setHeight}
        />
        {vault.fields}
        <ErrorNote error={restore.error} />
        <Button
          type="submit"
          disabled={!complete || !vault.isReady}
          loading={restore.isPending}
          style={{ alignSelf: 'flex-start' }}
        >
          {t('wallet.first.submitRestore')}
        </Button>
      </Stack>
    </form>
  );
}

function RestoreFile() {
  const { t } = useTranslation();
  const vault = useFirstPassphrase();
  return (
    <Stack gap="md">
      <Text>{t('wallet.first.fileHint')}</Text>
      <BackupFile
        action={t('wallet.first.submitRestore')}
        icon={null}
        use={async (file) => {
          await vault.give();
          const { broughtBack, ...status } = await client.wallet.restoreBackup(file);
          // The wallet takes the place of this view.
          showToast({ id: 'wallet-restored', tone: 'done', title: t('wallet.first.restored', broughtBack) });
          showStatus(status);
        }}
        more={vault}
      />
    </Stack>
  );
}

const ways = { create: Create, restore: Restore, file: RestoreFile };

/** Where there is no wallet yet: a new one, or one brought back from its words or a backup file. */
export function FirstUse() {
  const { t } = useTranslation();
  const [way, setWay] = useState<keyof typeof ways>('create');
  const Way = ways[way];
  return (
    <div className={classes.narrow}>
      <Panel title={t('wallet.first.title')} hint={t('wallet.first.text')}>
        <Stack gap="lg">
          <SegmentedControl
            aria-label={t('wallet.first.title')}
            value={way}
            onChange={setWay}
            data={(['create', 'restore', 'file'] as const).map((value) => ({
              value,
              label: t(`wallet.first.${value}`),
            }))}
          />
          <Way />
        </Stack>
      </Panel>
    </div>
  );
}
