import { Button, Code, Group, Progress, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Project } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { ErrorNote, FailureNote } from '../../../components/callouts/failure-note.tsx';
import layout from '../../../components/styles/layout.module.css';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { saveBlob } from '../../../lib/save-blob.ts';
import './texts.ts';
import { Zip, ZipTooLarge } from '../../../../contract/zip.ts';

interface Done {
  part: number;
  parts: number;
  size: number;
}

function isAddress(text: string): boolean {
  return text === '' || (/^https?:\/\/[^\s/]+\.[^\s]+$/.test(text) && URL.canParse(text));
}

function withSlash(address: string): string {
  return address === '' || address.endsWith('/') ? address : `${address}/`;
}

/** Makes the folder of pages that show a project's tokens to others, as one zip file. */
export default function PublishProject({ project, onClose }: { project: Project; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const stored = useQuery(api.tokens.publishing.address.queryOptions({ input: { projectUid: project.uid } }));
  const keep = useMutation(api.tokens.publishing.setAddress.mutationOptions({ onSuccess: () => stored.refetch() }));
  const [typed, setAddress] = useState<string>();
  const address = typed ?? stored.data?.baseUrl ?? '';
  const [done, setDone] = useState<Done>();
  const stopping = useRef<AbortController | undefined>(undefined);
  // Nobody could see or stop what goes on after the dialog.
  useEffect(() => () => stopping.current?.abort(), []);
  const baseUrl = address === '' ? null : address;
  const fileName = `${project.name.replace(/[^\p{L}\p{N} ._-]/gu, '').trim() || 'tokens'}.zip`;
  const publish = useMutation({
    mutationFn: async () => {
      const stop = new AbortController();
      stopping.current = stop;
      const { signal } = stop;
      const zip = new Zip();
      const { id, tokens, parts } = await client.tokens.publishing.plan(
        { projectUid: project.uid, baseUrl },
        { signal },
      );
      if (baseUrl === null && stored.data?.baseUrl) await keep.mutateAsync({ projectUid: project.uid, baseUrl });
      for (let part = 0; part < parts; part++) {
        setDone({ part, parts, size: zip.size });
        const { files, content } = await client.tokens.publishing.part({ id, part }, { signal });
        let at = 0;
        for (const { path, bytes } of files) {
          await zip.add(path, content.slice(at, at + bytes));
          at += bytes;
        }
        if (signal.aborted) break;
      }
      if (!signal.aborted) saveBlob(fileName, zip.finish());
      return { tokens };
    },
    onSettled: () => {
      setDone(undefined);
      void stored.refetch();
    },
  });
  const stopped = stopping.current?.signal.aborted === true && !publish.isPending;
  const number = (value: number): string => formatInteger(value, i18n.language);
  const wrong = !isAddress(address.trim());
  const isOther = stored.data !== undefined && withSlash(address) !== (stored.data.baseUrl ?? '');
  return (
    <Stack gap="md">
      <div>{t('publish.purpose')}</div>
      <TextInput
        label={t('publish.baseUrl')}
        description={t('publish.baseUrlHint')}
        error={wrong && t('publish.baseUrlWrong')}
        value={address}
        disabled={publish.isPending}
        spellCheck={false}
        onChange={(event) => setAddress(event.currentTarget.value.trim())}
        rightSectionWidth="auto"
        rightSection={
          isOther &&
          !wrong &&
          !publish.isPending && (
            <Button
              size="compact-sm"
              variant="subtle"
              mr={6}
              loading={keep.isPending}
              onClick={() => keep.mutate({ projectUid: project.uid, baseUrl })}
            >
              {t('publish.keepAddress')}
            </Button>
          )
        }
      />
      <ErrorNote error={keep.error} />
      {done !== undefined && (
        <div>
          <Progress value={(done.part / done.parts) * 100} aria-label={t('publish.working')} />
          <div role="status" className={layout.dim}>
            {t('publish.part', {
              n: number(done.part),
              total: number(done.parts),
              size: formatBytes(done.size, i18n.language),
            })}
          </div>
        </div>
      )}
      {publish.isSuccess && !stopped && (
        <div role="status">{t('publish.saved', { file: fileName, n: number(publish.data.tokens + 1) })}</div>
      )}
      {stopped && <div role="status">{t('publish.stopped')}</div>}
      {publish.error instanceof ZipTooLarge && <div role="alert">{t('publish.tooLarge')}</div>}
      {publish.isError && !stopped && !(publish.error instanceof ZipTooLarge) && (
        <FailureNote failure={failureOf(publish.error)} onRetry={() => publish.mutate()} />
      )}
      <div className={layout.dim}>
        {t('publish.terminal')} <Code>{`planchet publish --project ${project.uid} --out pages`}</Code>
      </div>
      <Group justify="flex-end" gap="xs">
        {publish.isPending ? (
          <Button variant="default" onClick={() => stopping.current?.abort()}>
            {t('publish.stop')}
          </Button>
        ) : (
          <Button variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
        )}
        <Button disabled={wrong || publish.isPending} onClick={() => publish.mutate()}>
          {t(publish.isPending ? 'publish.working' : 'publish.start')}
        </Button>
      </Group>
    </Stack>
  );
}
