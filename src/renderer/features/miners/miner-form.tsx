import { Button, Group, Modal, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  keyStyleSchema,
  type Miner,
  type MinerKind,
  type MinerPreset,
  minerKindSchema,
  minerProtocols,
  newMinerSchema,
} from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { mendOf } from '../../lib/mends.ts';
import { MinerTestReport } from './miner-test.tsx';

interface Draft {
  name: string;
  kind: MinerKind;
  url: string;
  apiKey: string;
  keyStyle: string;
  pinnedKey: string;
}

function draftOf(miner: Partial<Miner> = {}): Draft {
  const { name = '', kind = 'mapi', url = '', keyStyle = 'bearer', pinnedKey = null } = miner;
  return { name, kind, url, apiKey: '', keyStyle, pinnedKey: pinnedKey ?? '' };
}

interface MinerFormProps {
  /** Undefined for a new one. */
  miner?: Miner;
  /** Initial values of a new one. */
  preset?: MinerPreset;
  onClose: () => void;
}

/** Adds a miner, or changes one that a person added. It can be tested before it is saved. */
export function MinerForm({ miner, preset, onClose }: MinerFormProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const asksForKey = miner?.failure != null && mendOf(miner.failure) === 'minerKey';
  const [draft, setDraft] = useState(() => draftOf(miner ?? preset));
  const saved = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: api.miners.key() });
    onClose();
  };
  const add = useMutation(api.miners.add.mutationOptions({ gcTime: 0, onSuccess: saved }));
  const update = useMutation(api.miners.update.mutationOptions({ gcTime: 0, onSuccess: saved }));
  const test = useMutation(api.miners.test.mutationOptions({ gcTime: 0 }));
  const pinnedKey = draft.pinnedKey.trim().toLowerCase() || null;
  const input = newMinerSchema.safeParse({ ...draft, pinnedKey });
  const wrong = (field: keyof Draft): boolean =>
    draft[field] !== '' && !input.success && input.error.issues.some(({ path }) => path[0] === field);
  const change = (values: Partial<Draft>): void => {
    test.reset();
    setDraft({ ...draft, ...values });
  };
  const save = (): void => {
    if (!input.success) return;
    const { kind: _kind, enabled: _enabled, apiKey, ...values } = input.data;
    if (miner === undefined) add.mutate(input.data);
    // An empty field keeps the stored key, which is never shown.
    else update.mutate({ id: miner.id, ...values, ...(apiKey !== '' && { apiKey }) });
  };
  const tryIt = (): void => {
    if (!input.success) return;
    const { kind, url, keyStyle, apiKey } = input.data;
    const values = { kind, url, keyStyle, pinnedKey };
    test.mutate(miner === undefined ? { ...values, apiKey } : { id: miner.id, ...values, ...(apiKey && { apiKey }) });
  };
  const failed = add.error ?? update.error ?? test.error;
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={miner === undefined ? t('miners.form.addTitle') : t('miners.form.editTitle', { name: miner.name })}
    >
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack gap="sm">
          <Group grow align="flex-start">
            <TextInput
              data-autofocus={!asksForKey || undefined}
              label={t('miners.form.name')}
              value={draft.name}
              maxLength={100}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <Select
              label={t('miners.form.kind')}
              disabled={miner !== undefined}
              allowDeselect={false}
              data={minerKindSchema.options.map((value) => ({ value, label: t(`miners.kind.${value}`) }))}
              value={draft.kind}
              onChange={(kind) => kind !== null && change({ kind })}
            />
          </Group>
          <TextInput
            label={t('miners.form.url')}
            description={t('miners.form.urlHint')}
            error={wrong('url') ? t('miners.form.urlWrong') : undefined}
            value={draft.url}
            spellCheck={false}
            onChange={(event) => change({ url: event.currentTarget.value })}
          />
          <Group grow align="flex-start">
            <PasswordInput
              data-autofocus={asksForKey || undefined}
              label={t('miners.form.apiKey')}
              description={t(miner?.hasKey ? 'miners.form.apiKeyKept' : 'miners.form.apiKeyHint')}
              error={wrong('apiKey') ? t('miners.form.apiKeyWrong') : undefined}
              autoComplete="new-password"
              value={draft.apiKey}
              onChange={(event) => change({ apiKey: event.currentTarget.value })}
            />
            <Select
              label={t('miners.form.keyStyle')}
              description={' '}
              allowDeselect={false}
              data={keyStyleSchema.options.map((value) => ({ value, label: t(`miners.form.style.${value}`) }))}
              value={draft.keyStyle}
              onChange={(keyStyle) => keyStyle !== null && change({ keyStyle })}
            />
          </Group>
          {minerProtocols[draft.kind].signs && (
            <TextInput
              label={t('miners.form.pinnedKey')}
              description={t('miners.form.pinnedKeyHint')}
              error={wrong('pinnedKey') ? t('miners.form.pinnedKeyWrong') : undefined}
              value={draft.pinnedKey}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              onChange={(event) => change({ pinnedKey: event.currentTarget.value })}
            />
          )}
          <ErrorNote error={failed} />
          {test.isSuccess && <MinerTestReport name={draft.name} test={test.data} onClose={() => test.reset()} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" disabled={!input.success} loading={test.isPending} onClick={tryIt}>
              {t('miners.form.test')}
            </Button>
            <Button type="submit" disabled={!input.success} loading={add.isPending || update.isPending}>
              {t(miner === undefined ? 'miners.form.saveNew' : 'miners.form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
