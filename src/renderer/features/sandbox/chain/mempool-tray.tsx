import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { SandboxChain } from '../../../../contract/index.ts';
import { useMoney } from '../../../api/money.ts';
import { formatBytes, formatInteger, shortenId } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { PickList } from '../picture/pick-list.tsx';
import { transactionSide } from '../picture/scale.ts';
import classes from './tray.module.css';

type Waiting = SandboxChain['mempool']['transactions'][number];
/** The number that fits into the tray. */
const MOST = 24;
const txidOf = ({ txid }: Waiting): string => txid;

interface MempoolTrayProps {
  mempool: SandboxChain['mempool'];
  picked: string | undefined;
  onPick: (transaction: Waiting) => void;
}

/** Transactions that wait for the next block, as a tray at the end of the chain. */
export function MempoolTray({ mempool, picked, onPick }: MempoolTrayProps) {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const { language } = i18n;
  const shown = mempool.transactions.slice(0, MOST);
  const left = mempool.count - shown.length;
  return (
    <section className={classes.tray} aria-label={t('sandbox.chain.mempool')}>
      <div className={classes.head}>
        <span className={classes.title}>{t('sandbox.chain.mempool')}</span>
        <span className={classes.count}>
          {mempool.count > 0 &&
            t('sandbox.chain.waiting', { count: mempool.count, size: formatBytes(mempool.bytes, language) })}
        </span>
      </div>
      {shown.length === 0 ? (
        <p className={classes.nothing}>{t('sandbox.chain.nothingWaits')}</p>
      ) : (
        <PickList
          label={t('sandbox.chain.waitingList')}
          items={shown}
          keyOf={txidOf}
          picked={picked}
          onPick={onPick}
          className={classes.list}
          itemClass={classes.item}
          nameOf={({ txid, bytes, fee }) =>
            t('sandbox.chain.waitingName', {
              id: shortenId(txid),
              size: formatBytes(bytes, language),
              fee: money(fee),
            })
          }
        >
          {({ bytes }) => (
            <span
              className={classes.square}
              style={{ width: transactionSide(bytes), height: transactionSide(bytes) }}
            />
          )}
        </PickList>
      )}
      {left > 0 && (
        <Link href={routes.mempool} className={`link ${classes.more}`}>
          {t('sandbox.chain.moreWaiting', { count: left, number: formatInteger(left, language) })}
        </Link>
      )}
    </section>
  );
}
