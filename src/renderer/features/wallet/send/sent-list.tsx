import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type SentToken, sentTokens, type WalletSend } from '../../../../contract/index.ts';
import { useKnownName } from '../../../api/known-names.ts';
import { idColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { StateBadge, stateText } from '../../../components/values/values.tsx';
import { shortenId } from '../../../lib/format.ts';

const idOf = ({ outpoint }: SentToken): string => outpoint;

function Token({ outpoint }: Pick<SentToken, 'outpoint'>) {
  return <span title={outpoint}>{useKnownName(outpoint) ?? shortenId(outpoint, 6)}</span>;
}

/** Whole: what is approved here goes to exactly this address. */
function Receiver({ address }: Pick<SentToken, 'address'>) {
  const name = useKnownName(address);
  return (
    <span title={name}>
      <span className="mono">{address}</span>
      {name !== undefined && ` ${name}`}
    </span>
  );
}

/** Every token that a payment sends: to whom, in which transaction, and how far that is. Exported as CSV or JSON. */
export function SentList({ payment }: { payment: WalletSend }) {
  const { t } = useTranslation();
  const rows = useMemo(() => sentTokens(payment), [payment]);
  const columns = useMemo<readonly ListColumn<SentToken>[]>(
    () => [
      {
        key: 'token',
        title: t('wallet.sent.token'),
        width: 'minmax(110px, 1fr)',
        value: idOf,
        render: ({ outpoint }) => <Token outpoint={outpoint} />,
      },
      {
        key: 'address',
        title: t('wallet.sent.receiver'),
        width: 'minmax(270px, 2fr)',
        value: ({ address }) => address,
        render: ({ address }) => <Receiver address={address} />,
      },
      {
        key: 'state',
        title: t('wallet.sent.state'),
        width: '124px',
        value: ({ state }) => stateText(t, { state, awaiting: state === 'reviewed' }),
        render: ({ state }) => <StateBadge state={state} awaiting={state === 'reviewed'} />,
      },
      idColumn({ key: 'txid', title: t('wallet.sent.transaction'), width: '116px' }, 'transaction', ({ txid }) => txid),
      {
        key: 'sentTo',
        title: t('wallet.sent.outpoint'),
        width: 'minmax(120px, 1fr)',
        value: ({ sentTo }) => sentTo,
        extra: true,
      },
    ],
    [t],
  );
  if (rows.length < 2) return null;
  return (
    <List
      name="sent-tokens"
      label={t('wallet.sent.title')}
      title={t('wallet.sent.title')}
      filter={t('wallet.sent.filter')}
      rows={rows}
      idOf={idOf}
      columns={columns}
      copies={{ label: t('wallet.sent.copy'), of: ({ address }) => address }}
      maxHeight={360}
    />
  );
}
