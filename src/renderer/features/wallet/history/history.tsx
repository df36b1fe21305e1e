import { Button, Group, Menu, Stack } from '@mantine/core';
import { IconDownload, IconReceipt } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { askedReceivers, sentTokens, type TokenCard, type WalletHistoryEntry } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { icon, smallIcon } from '../../../components/icon.ts';
import { amountColumn, idColumn, timeColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Note } from '../../../components/note.tsx';
import { Empty, Panel } from '../../../components/page.tsx';
import { ThumbStack } from '../../../components/preview/art.tsx';
import { fileOf, type PreviewFile } from '../../../components/preview/preview-file.ts';
import { QueryView } from '../../../components/query-view.tsx';
import { sum } from '../../../components/review/sum.ts';
import { Ago, Amount, Badge } from '../../../components/values/values.tsx';
import { formatInteger, shortAddress } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { saveBlob } from '../../../lib/save-blob.ts';
import classes from '../wallet.module.css';
import { Signed } from './signed.tsx';

const PAGE = 500;
const MOST_PICTURES = 3;
const NO_ENTRIES: readonly WalletHistoryEntry[] = [];
const idOf = ({ txid }: WalletHistoryEntry): string => txid;
const isLost = ({ state }: WalletHistoryEntry): boolean => state === 'double-spent' || state === 'dropped';

function TokenName({ outpoint }: { outpoint: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(api.tokens.get.queryOptions({ input: { outpoint } }));
  return <span>{data?.token.name || t('wallet.history.pendingToken')}</span>;
}

/** Payments that were built and wait for a decision; their coins are locked until then. */
function PendingPayments() {
  const { t } = useTranslation();
  const payments = useQuery(api.wallet.send.list.queryOptions()).data ?? [];
  const waiting = payments
    .filter(({ awaitingApproval }) => awaitingApproval)
    .map((payment) => ({ payment, tokens: sentTokens(payment) }));
  if (waiting.length === 0) return null;
  return (
    <Panel title={t('wallet.history.pending')} hint={t('wallet.history.pendingHint')} flush>
      <ul className={classes.rows}>
        {waiting.map(({ payment: { id, request, review, createdAt }, tokens }) => (
          <li key={id} className={classes.row}>
            {tokens.length > 1 ? (
              t('wallet.history.pendingTokens', { count: tokens.length })
            ) : request.token === undefined ? (
              <Amount satoshis={sum(review.outputs.filter(({ kind }) => kind === 'payment'))} />
            ) : (
              <TokenName outpoint={request.token} />
            )}
            <span>
              {t('wallet.history.to', {
                count:
                  tokens.length > 1
                    ? new Set(tokens.map(({ address }) => address)).size
                    : askedReceivers(request).length,
                address: shortAddress(askedReceivers(request)[0]?.address ?? ''),
              })}
            </span>
            <span className={classes.grow}>{request.label}</span>
            <Ago at={createdAt} />
            <Button
              size="xs"
              variant="default"
              component={Link}
              href={request.token === undefined ? routes.walletPayment(id) : routes.tokenSending(request.token, id)}
            >
              {t('wallet.history.open')}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ExportAll() {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: async (format: 'csv' | 'json') => {
      const { text } = await client.wallet.history.export({ format });
      saveBlob(`planchet-wallet-history-${new Date().toISOString().slice(0, 10)}.${format}`, new Blob([text]));
    },
  });
  return (
    <>
      <Menu position="top-end" withinPortal={false} floatingStrategy="fixed">
        <Menu.Target>
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            loading={save.isPending}
            leftSection={<IconDownload {...smallIcon} />}
          >
            {t('wallet.history.exportAll')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(['csv', 'json'] as const).map((format) => (
            <Menu.Item key={format} onClick={() => save.mutate(format)}>
              {t(`common.list.${format}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ErrorNote error={save.error} />
    </>
  );
}

/** A token left and brought no money: its one satoshi is none. */
const isTokenSent = ({ purpose, amount, fee, tokens }: WalletHistoryEntry): boolean =>
  (purpose === 'sent' || purpose === 'moved') && tokens < 0 && amount === -(fee ?? 0);

const isTokenReceipt = ({ purpose, amount, tokens }: WalletHistoryEntry): boolean =>
  purpose === 'received' && amount === 0 && tokens > 0;

const mayMoveTokens = ({ purpose, tokens }: WalletHistoryEntry): boolean => purpose === 'mint' || tokens !== 0;

/** The newest tokens by the transactions that inscribed them or moved them last. */
function useMoved(entries: readonly WalletHistoryEntry[]): ReadonlyMap<string, readonly TokenCard[]> {
  const { data } = useQuery(
    api.tokens.list.queryOptions({ input: { limit: PAGE }, enabled: entries.some(mayMoveTokens) }),
  );
  return useMemo(() => {
    const moved = new Map<string, TokenCard[]>();
    for (const card of data?.tokens ?? []) {
      for (const txid of new Set([card.outpoint, card.origin ?? card.outpoint].map((place) => place.slice(0, 64)))) {
        moved.set(txid, [...(moved.get(txid) ?? []), card]);
      }
    }
    return moved;
  }, [data]);
}

/** Up to three of their files that are stored on this machine. */
const picturesOf = (cards: readonly TokenCard[] = []): PreviewFile[] =>
  cards
    .flatMap((card) => fileOf(card) ?? [])
    .filter(({ inscribedIn }) => inscribedIn === undefined)
    .slice(0, MOST_PICTURES);

/** The purpose of each transaction, in the words of the list of transactions. A single received token is named where its name is known. */
function usePurpose(moved: ReadonlyMap<string, readonly TokenCard[]>): (entry: WalletHistoryEntry) => string {
  const { t } = useTranslation();
  return useMemo(() => {
    const plain = (entry: WalletHistoryEntry): string => {
      const { purpose } = entry;
      const payment = t('common.origin.wallet');
      if (isTokenSent(entry)) return t('wallet.purposeOf.tokenSent', { payment, count: -entry.tokens });
      if (purpose === 'sent') return payment;
      if (purpose === 'moved') return t('wallet.purposeOf.moved', { payment });
      if (purpose !== 'received') return t(`common.origin.${purpose}`);
      if (!isTokenReceipt(entry)) return t('wallet.purposeOf.received');
      const name = moved.get(entry.txid)?.[0]?.name;
      return name ? t('wallet.purposeOf.tokenReceivedName', { name }) : t('wallet.purposeOf.tokenReceived');
    };
    return (entry) => {
      const [purpose, names] = [plain(entry), entry.contacts.join(', ')];
      return names === '' ? purpose : t('wallet.purposeOf.sentTo', { purpose, names });
    };
  }, [t, moved]);
}

function useColumns(entries: readonly WalletHistoryEntry[]): readonly ListColumn<WalletHistoryEntry>[] {
  const { t, i18n } = useTranslation();
  const moved = useMoved(entries);
  const purposeOf = usePurpose(moved);
  const queries = useQueryClient();
  return useMemo<readonly ListColumn<WalletHistoryEntry>[]>(
    () => [
      timeColumn({ key: 'at', title: t('wallet.history.when'), width: '88px' }, ({ at }) => at),
      {
        key: 'purpose',
        title: t('wallet.history.what'),
        width: 'minmax(104px, 1fr)',
        value: purposeOf,
        render: (entry) => (
          <Group gap={8} wrap="nowrap">
            {mayMoveTokens(entry) && <ThumbStack files={picturesOf(moved.get(entry.txid))} size={22} />}
            {/* A plain link, cheaper than one of the router in each of many rows; see Id. */}
            <a className="link" href={`#${routes.transaction(entry.txid)}`} title={entry.txid}>
              {purposeOf(entry)}
            </a>
          </Group>
        ),
      },
      {
        key: 'label',
        title: t('wallet.history.note'),
        width: 'minmax(80px, 1fr)',
        value: ({ label }) => label,
        render: ({ txid, label }) => (
          <Note
            key={txid}
            text={label}
            save={async (text) => {
              await client.wallet.history.label({ txid, label: text });
              await queries.invalidateQueries({ queryKey: api.wallet.history.key() });
            }}
          />
        ),
      },
      {
        key: 'amount',
        title: t('wallet.history.amount'),
        width: '128px',
        align: 'right',
        value: ({ amount }) => amount,
        render: (entry) => {
          if (isTokenReceipt(entry)) return '–';
          const amount = <Signed satoshis={entry.amount} />;
          return isLost(entry) ? <s>{amount}</s> : amount;
        },
      },
      amountColumn({ key: 'balance', title: t('wallet.history.balance'), width: '128px' }, ({ balance }) => balance),
      amountColumn({ key: 'fee', title: t('wallet.history.fee'), width: '96px', extra: true }, ({ fee }) => fee),
      {
        key: 'height',
        title: t('wallet.history.block'),
        width: '96px',
        align: 'right',
        value: ({ height }) => height,
        render: ({ height, state, toldBy }) =>
          height === null || state !== 'confirmed' ? (
            <span title={toldBy && t('wallet.history.toldBy', { count: toldBy.length, names: toldBy.join(', ') })}>
              <Badge tone={state === 'unconfirmed' ? 'wait' : 'fail'}>
                {toldBy?.length === 1
                  ? t('wallet.history.toldByOne')
                  : t(`wallet.history.${state === 'confirmed' ? 'unconfirmed' : state}`)}
              </Badge>
            </span>
          ) : (
            <span className="num">{formatInteger(height, i18n.language)}</span>
          ),
      },
      idColumn(
        { key: 'txid', title: t('wallet.history.transaction'), width: '124px', sortable: false, extra: true },
        'transaction',
        idOf,
      ),
    ],
    [t, i18n.language, queries, purposeOf, moved],
  );
}

/** What came in and went out, with the balance after each transaction. */
export function History() {
  const { t } = useTranslation();
  const query = useInfiniteQuery(
    api.wallet.history.list.infiniteOptions({
      input: (after: string | undefined) => (after === undefined ? { limit: PAGE } : { limit: PAGE, after }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => next ?? undefined,
    }),
  );
  const rows = query.data?.pages.flatMap(({ entries }) => entries) ?? NO_ENTRIES;
  const columns = useColumns(rows);
  return (
    <Stack gap="md">
      <PendingPayments />
      <QueryView
        query={query}
        isEmpty={({ pages }) => pages[0]?.entries.length === 0}
        empty={
          <Panel>
            <Empty
              icon={<IconReceipt {...icon} size={24} />}
              title={t('wallet.history.emptyTitle')}
              text={t('wallet.history.emptyText')}
              action={
                <Button component={Link} href={routes.walletPart('receive')}>
                  {t('wallet.history.emptyAction')}
                </Button>
              }
            />
          </Panel>
        }
      >
        {() => (
          <List
            name="wallet-history"
            label={t('wallet.history.label')}
            title={t('wallet.history.title')}
            filter={t('wallet.history.filter')}
            rows={rows}
            idOf={idOf}
            columns={columns}
            copies={{ label: t('wallet.history.copy'), of: idOf }}
            onOpen={({ txid }) => {
              location.hash = routes.transaction(txid);
            }}
            below={
              <Group justify="flex-end" gap="xs" className={classes.below}>
                {query.hasNextPage && (
                  <Button
                    size="xs"
                    variant="default"
                    loading={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {t('wallet.history.older')}
                  </Button>
                )}
                <ExportAll />
              </Group>
            }
          />
        )}
      </QueryView>
    </Stack>
  );
}
