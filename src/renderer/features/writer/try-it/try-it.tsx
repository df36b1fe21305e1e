import { Button, Group, SegmentedControl, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { Panel } from '../../../components/page.tsx';
import { reasonOf } from '../../../i18n/reason.ts';
import { shortenId } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../writer.module.css';
import { Snippets } from './snippet-panel.tsx';
import type { SnippetRequest } from './snippets.ts';

const modes = ['raw', 'hash', 'encrypt'] as const;
const waits = ['accepted', 'submitted', 'mined'] as const;
const TAG = /^[\x20-\x7e]{0,512}$/;
const EXAMPLE = '{\n  "order": 1001,\n  "item": "copper wire",\n  "metres": 250\n}';

/** @returns why the text is not JSON, in the words of the parser; null where it is */
function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Writes one document by hand, and shows the program that does the same. */
export function TryIt() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [body, setBody] = useState(EXAMPLE);
  const [tag, setTag] = useState('');
  const [mode, setMode] = useState<SnippetRequest['mode']>('raw');
  const [wait, setWait] = useState<SnippetRequest['wait']>('submitted');
  const [keyId, setKeyId] = useState<string | null>(null);
  const keys = useQuery(api.writer.keys.list.queryOptions()).data?.filter((key) => key.revokedAt === null) ?? [];
  const reason = jsonProblem(body);
  const bodyProblem =
    body.trim() === '' ? t('writer.try.emptyJson') : reason === null ? null : t('writer.try.badJson', { reason });
  const tagProblem = TAG.test(tag) ? null : t('writer.try.badTag');
  const write = useMutation(
    api.writer.write.mutationOptions({ onSuccess: () => queries.invalidateQueries({ queryKey: api.writer.key() }) }),
  );
  const ready = bodyProblem === null && tagProblem === null;
  return (
    <div className={classes.tryColumns}>
      <Panel title={t('writer.try.title')} hint={t('writer.try.hint')}>
        <form
          onSubmit={formSubmit(() => {
            if (!ready) return;
            write.mutate({ body, mode, wait, ...(tag === '' ? {} : { tag }), ...(keyId === null ? {} : { keyId }) });
          })}
        >
          <Stack gap="md">
            <Textarea
              label={t('writer.try.body')}
              description={t('writer.try.bodyHint')}
              classNames={{ input: 'mono' }}
              spellCheck={false}
              autosize
              minRows={7}
              maxRows={18}
              error={bodyProblem}
              value={body}
              onChange={(event) => setBody(event.currentTarget.value)}
            />
            <TextInput
              label={t('writer.try.tag')}
              description={t('writer.try.tagHint')}
              error={tagProblem}
              value={tag}
              onChange={(event) => setTag(event.currentTarget.value)}
            />
            {keys.length > 1 && (
              <Select
                label={t('writer.try.key')}
                placeholder={t('writer.try.defaultKey')}
                clearable
                clearButtonProps={{ 'aria-label': t('common.clearFilter') }}
                data={keys.map((key) => ({ value: key.keyId, label: key.label }))}
                value={keyId}
                onChange={setKeyId}
              />
            )}
            <div>
              <div className={classes.fieldLabel} id="writer-mode">
                {t('writer.try.mode')}
              </div>
              <SegmentedControl
                fullWidth
                aria-labelledby="writer-mode"
                data={modes.map((value) => ({ value, label: t(`writer.try.modes.${value}`) }))}
                value={mode}
                onChange={setMode}
              />
            </div>
            <div>
              <div className={classes.fieldLabel} id="writer-wait">
                {t('writer.try.wait')}
              </div>
              <SegmentedControl
                fullWidth
                aria-labelledby="writer-wait"
                data={waits.map((value) => ({ value, label: t(`writer.try.waits.${value}`) }))}
                value={wait}
                onChange={setWait}
              />
            </div>
            <ErrorNote error={write.error} />
            {write.isSuccess && (
              <Callout
                tone={write.data.state === 'dead' ? 'fail' : 'done'}
                role="status"
                title={t('writer.try.done', {
                  state: t(`writer.state.${write.data.state}`),
                  id: shortenId(write.data.id),
                })}
                actions={
                  <Button component={Link} href={routes.writerDocument(write.data.id)} size="xs" variant="default">
                    {t('writer.try.openDocument')}
                  </Button>
                }
              >
                {reasonOf(write.data) ?? t('writer.try.doneText')}
              </Callout>
            )}
            <Group justify="flex-end" gap="xs">
              <Button
                variant="subtle"
                disabled={reason !== null}
                onClick={() => setBody(JSON.stringify(JSON.parse(body), null, 2))}
              >
                {t('writer.try.format')}
              </Button>
              <Button type="submit" disabled={!ready} loading={write.isPending}>
                {t('writer.try.send')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      <Snippets body={body} tag={tagProblem === null ? tag : ''} mode={mode} wait={wait} />
    </div>
  );
}
