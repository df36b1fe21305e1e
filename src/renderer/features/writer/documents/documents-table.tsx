import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { WriterDocumentView } from '../../../../contract/index.ts';
import { amountColumn, figureColumn, idColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Hint } from '../../../components/values/hint.tsx';
import { Ago } from '../../../components/values/values.tsx';
import { reasonOf } from '../../../i18n/reason.ts';
import { formatBytes, formatInteger, shortenId } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { useNextAttempt } from '../use-next-attempt.ts';
import classes from './documents.module.css';
import { WriterBadge } from './states.tsx';

const idOf = (document: WriterDocumentView): string => document.id;

interface DeadLetterTools {
  /** Beside the title. */
  readonly tools: ReactNode;
  /** Retries the chosen documents. */
  readonly onRetry: (documents: readonly WriterDocumentView[]) => void;
  readonly retrying: boolean;
}

/** The state of a document, and after a failed attempt the reason and the time of the next one. */
function State({ document }: { document: WriterDocumentView }) {
  const next = useNextAttempt(document.nextAttemptAt);
  const reason = reasonOf(document);
  if (next === null || reason === null) return <WriterBadge state={document.state} />;
  return (
    <Hint text={`${reason} ${next}`}>
      <span className={classes.waits}>
        <WriterBadge state={document.state} />
        <span className={classes.why}>
          {next} · {reason}
        </span>
      </span>
    </Hint>
  );
}

/** Columns of a page of documents. The writer keeps their order, over all pages, so no column can be sorted. */
function useColumns(dead: boolean): readonly ListColumn<WriterDocumentView>[] {
  const { t, i18n } = useTranslation();
  return useMemo(() => {
    const id: ListColumn<WriterDocumentView> = {
      key: 'id',
      title: t('writer.list.id'),
      width: 'minmax(80px, 1fr)',
      value: idOf,
      render: ({ id }) => (
        <Link
          href={routes.writerDocument(id)}
          className="mono link"
          aria-label={t('writer.list.open', { id: shortenId(id) })}
        >
          {shortenId(id)}
        </Link>
      ),
    };
    const tag: ListColumn<WriterDocumentView> = {
      key: 'tag',
      title: t('writer.list.tag'),
      width: 'minmax(72px, 1fr)',
      value: ({ tag }) => tag,
      render: ({ tag }) =>
        tag === null ? (
          '–'
        ) : (
          <Hint text={tag}>
            <span>{tag}</span>
          </Hint>
        ),
    };
    const size = figureColumn<WriterDocumentView>(
      { key: 'bytes', title: t('writer.list.size'), width: '64px' },
      ({ bytes }) => bytes,
      (bytes) => <span className="num">{formatBytes(bytes, i18n.language)}</span>,
    );
    const accepted: ListColumn<WriterDocumentView> = {
      key: 'createdAt',
      title: t('writer.list.accepted'),
      width: '92px',
      value: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => <Ago at={Date.parse(createdAt)} />,
    };
    const where: ListColumn<WriterDocumentView>[] = [
      id,
      tag,
      {
        key: 'state',
        title: t('writer.list.state'),
        width: 'minmax(108px, 1.4fr)',
        value: ({ state }) => state,
        render: (document) => <State document={document} />,
      },
      size,
      amountColumn({ key: 'fee', title: t('writer.list.fee'), width: '72px' }, ({ fee }) => fee),
      idColumn(
        { key: 'txid', title: t('writer.list.txid'), width: 'minmax(116px, 1fr)' },
        'transaction',
        ({ txid }) => txid,
      ),
      accepted,
    ];
    const why: ListColumn<WriterDocumentView>[] = [
      id,
      tag,
      {
        key: 'reason',
        title: t('writer.list.reason'),
        width: 'minmax(120px, 4fr)',
        value: reasonOf,
        render: (document) => {
          const reason = reasonOf(document);
          return reason === null ? (
            t('writer.dead.noReason')
          ) : (
            <Hint text={reason}>
              <span>{reason}</span>
            </Hint>
          );
        },
      },
      figureColumn(
        { key: 'attempts', title: t('writer.list.attempts'), width: '68px' },
        ({ attempts }) => attempts,
        (attempts) => <span className="num">{formatInteger(attempts, i18n.language)}</span>,
      ),
      size,
      accepted,
    ];
    return (dead ? why : where).map((column) => ({ ...column, sortable: false }));
  }, [t, i18n.language, dead]);
}

/** @param dead shows why instead of where: reason and attempts in place of state, fee and transaction */
export function DocumentsTable({
  documents,
  fetching,
  dead,
}: {
  documents: readonly WriterDocumentView[];
  fetching: boolean;
  dead?: DeadLetterTools;
}) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const columns = useColumns(dead !== undefined);
  const title = t(dead === undefined ? 'writer.tabs.documents' : 'writer.tabs.dead');
  return (
    <div aria-busy={fetching}>
      <List
        name={dead === undefined ? 'documents' : 'dead-letters'}
        label={title}
        title={title}
        rows={documents}
        idOf={idOf}
        columns={columns}
        copies={{ label: t('writer.list.copyIds'), of: idOf }}
        onOpen={({ id }) => navigate(routes.writerDocument(id))}
        empty={t('common.noMatches')}
        maxHeight="none"
        {...(dead === undefined
          ? {}
          : {
              hint: t('writer.dead.hint'),
              tools: dead.tools,
              bulk: [
                {
                  label: t('writer.dead.retry'),
                  run: dead.onRetry,
                  fits: ({ canRetry }: WriterDocumentView) => !dead.retrying && canRetry,
                },
              ],
            })}
      />
    </div>
  );
}
