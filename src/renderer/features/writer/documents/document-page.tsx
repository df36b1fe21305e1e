import { Button, Skeleton, Stack } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type WriterDocument, writerStates } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { Page, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Fact } from '../../../components/values/fact.tsx';
import { Ago, Amount, Id } from '../../../components/values/values.tsx';
import { reasonOf } from '../../../i18n/reason.ts';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { useNextAttempt } from '../use-next-attempt.ts';
import classes from '../writer.module.css';
import { visibleBody } from './body-text.ts';
import { FoldedText } from './folded-text.tsx';
import { WriterBadge } from './states.tsx';

function Facts({ document }: { document: WriterDocument }) {
  const { t, i18n } = useTranslation();
  const key = useQuery(api.writer.keys.list.queryOptions()).data?.find((one) => one.keyId === document.keyId);
  return (
    <dl className={layout.facts}>
      <Fact name={t('writer.list.txid')}>
        {document.txid === null ? t('common.pending') : <Id value={document.txid} kind="transaction" copyAlways />}
      </Fact>
      <Fact name={t('writer.document.output')} num>
        {document.vout ?? '–'}
      </Fact>
      <Fact name={t('writer.document.block')} num>
        {document.blockHeight === null ? t('common.pending') : formatInteger(document.blockHeight, i18n.language)}
      </Fact>
      <div>
        <dt>{t('writer.list.tag')}</dt>
        <dd className={classes.wrap}>{document.tag ?? '–'}</dd>
      </div>
      <div>
        <dt>{t('writer.list.type')}</dt>
        <dd className={classes.wrap}>{document.contentType}</dd>
      </div>
      <Fact name={t('writer.list.size')} num>
        {formatBytes(document.bytes, i18n.language)}
      </Fact>
      <Fact name={t('writer.list.fee')}>
        {document.fee === null ? t('common.pending') : <Amount satoshis={document.fee} />}
      </Fact>
      <div>
        <dt>{t('writer.document.key')}</dt>
        <dd className="mono">{key?.label ?? document.keyId}</dd>
      </div>
    </dl>
  );
}

function Timeline({ document }: { document: WriterDocument }) {
  const { t } = useTranslation();
  const reached = new Map(document.timeline.map(({ state, at }) => [state, at]));
  const visible = writerStates.names.filter((state) => state !== 'dead' || document.state === 'dead');
  return (
    <Panel title={t('writer.document.timeline')} flush>
      <ol className={classes.timeline}>
        {visible.map((state) => {
          const at = reached.get(state);
          return (
            <li key={state} data-reached={at !== undefined || undefined} data-dead={state === 'dead' || undefined}>
              <span className={classes.timelineName}>{t(`writer.state.${state}`)}</span>
              <span className={layout.dim}>{at === undefined ? '–' : <Ago at={at} />}</span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

function Body({ document }: { document: WriterDocument }) {
  const { t, i18n } = useTranslation();
  const what = t('writer.document.bodyName');
  const body = visibleBody(document.body, document.bodyIsComplete);
  const size = formatBytes(document.bytes, i18n.language);
  const hint = document.bodyIsComplete
    ? t(body.kind === 'text' ? 'writer.document.bodyWhole' : 'writer.document.bodyBinary', {
        size: formatBytes(body.bytes, i18n.language),
      })
    : t('writer.document.bodyCut', { visible: formatBytes(body.bytes, i18n.language), size });
  return (
    <Panel
      title={t(
        document.timeline.some(({ state }) => state === 'submitted') ? 'writer.document.body' : 'writer.try.mode',
      )}
      hint={hint}
      actions={<CopyButton value={body.text} what={what} />}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section className={classes.code} tabIndex={0} aria-label={t('writer.document.contentOf', { what })}>
        {body.text}
      </section>
    </Panel>
  );
}

function proofHint({ proof, state }: WriterDocument) {
  if (proof !== null) return 'writer.document.proofHint';
  return state === 'dead' ? 'writer.document.neverProven' : 'writer.document.noProof';
}

/** Indents the proof, which the host sends as JSON. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Failed({ document }: { document: WriterDocument }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const retry = useMutation(
    api.writer.dead.retry.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.writer.key() }),
    }),
  );
  const next = useNextAttempt(document.nextAttemptAt);
  const dead = document.state === 'dead';
  if (document.reason === null && !dead) return null;
  return (
    <>
      <Callout
        tone={dead ? 'fail' : 'wait'}
        role={dead ? 'alert' : 'status'}
        title={t(dead ? 'writer.document.deadTitle' : 'writer.document.lastError')}
        actions={
          document.canRetry && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh {...smallIcon} />}
              loading={retry.isPending}
              onClick={() => retry.mutate({ ids: [document.id] })}
            >
              {t('common.retry')}
            </Button>
          )
        }
      >
        {reasonOf(document) ?? t('writer.dead.noReason')}
        {document.attempts > 0 && ` (${t('writer.document.attempts', { count: document.attempts })})`}
        {next !== null && <div>{next}</div>}
      </Callout>
      <ErrorNote error={retry.error} />
    </>
  );
}

/** One document: what was written, how far it has come, what proves it. */
export function DocumentPage({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.writer.documents.get.queryOptions({ input: { id } }));
  return (
    <Page
      title={t('writer.document.title')}
      aside={query.data === undefined ? undefined : <WriterBadge state={query.data.state} />}
      purpose={t('writer.document.purpose')}
      crumbs={[
        { label: t('writer.title'), to: routes.writer },
        { label: t('writer.tabs.documents'), to: routes.writerDocuments },
      ]}
      actions={
        <Button component={Link} href={routes.writerDocuments} variant="default">
          {t('writer.document.back')}
        </Button>
      }
    >
      <div className={classes.idLine}>
        <span className="mono">{id}</span>
        <CopyButton value={id} what={t('writer.document.idName')} />
      </div>
      <QueryView
        query={query}
        skeleton={
          <Stack>
            <Skeleton height={120} />
            <Skeleton height={280} />
          </Stack>
        }
      >
        {(document) => (
          <Stack gap="md">
            <Failed document={document} />
            <Panel>
              <Facts document={document} />
            </Panel>
            <div className={classes.documentColumns}>
              <Body document={document} />
              <Timeline document={document} />
            </div>
            <FoldedText
              title={t('writer.document.proof')}
              hint={t(proofHint(document))}
              what={t('writer.document.proofName')}
              text={document.proof === null ? null : prettyJson(document.proof)}
            />
            <FoldedText
              title={t('writer.document.script')}
              hint={t('writer.document.scriptHint')}
              what={t('writer.document.scriptName')}
              text={document.script}
            />
            {document.rawTx !== null && (
              <FoldedText
                title={t('writer.document.rawTx')}
                hint={t('writer.document.rawTxHint')}
                what={t('writer.document.rawTxName')}
                text={document.rawTx}
              />
            )}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
