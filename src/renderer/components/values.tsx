import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type MintState, mintStates, type Tone } from '../../contract/index.ts';
import { formatBsv, formatExact, formatRelative, formatSatoshis, shortenId, toneOf } from '../lib/format.ts';
import badgeClasses from './badge.module.css';
import { CopyButton } from './copy-button.tsx';
import { Hint, InRow } from './hint.tsx';
import { useNow } from './use-now.ts';
import classes from './values.module.css';

interface IdProps {
  value: string;
  /** Names the value for the copy button: `address`, `transaction id`. */
  what: string;
  /** Where a click leads, if anywhere. */
  to?: string;
  /** Shows all of it, wrapped. */
  full?: boolean;
  /** Always shows the copy button, not only under the pointer. */
  copyAlways?: boolean;
  keep?: number;
}

/** An id, address or hash: short form, full value in a tooltip, copy button. */
export function Id({ value, what, to, full = false, copyAlways = full, keep = 4 }: IdProps) {
  const text = full ? value : shortenId(value, keep);
  const className = `${classes.idText} ${full ? classes.idFull : ''}`;
  const inRow = useContext(InRow);
  const visible =
    to === undefined ? (
      <span className={className}>{text}</span>
    ) : inRow ? (
      // The address of the page says where it is; a link that listens to it costs too much in each of many rows.
      <a href={`#${to}`} className={`${className} ${classes.idLink}`}>
        {text}
      </a>
    ) : (
      <Link href={to} className={`${className} ${classes.idLink}`}>
        {text}
      </Link>
    );
  return (
    <span className={classes.id}>
      {full ? (
        visible
      ) : (
        <Hint text={value} mono>
          {visible}
        </Hint>
      )}
      <CopyButton value={value} what={what} className={copyAlways ? undefined : classes.quietCopy} />
    </span>
  );
}

/** Satoshis with BSV on hover. */
export function Amount({ satoshis }: { satoshis: number }) {
  const { i18n } = useTranslation();
  return (
    <Hint text={formatBsv(satoshis, i18n.language)}>
      <span className={classes.amount}>{formatSatoshis(satoshis, i18n.language)}</span>
    </Hint>
  );
}

/** How long ago, with the exact time on hover. */
export function Ago({ at }: { at: number }) {
  const { i18n } = useTranslation();
  const now = useNow();
  return (
    <Hint text={formatExact(at, i18n.language)}>
      <time dateTime={new Date(at).toISOString()} className={classes.time}>
        {formatRelative(Math.min(at, now), now, i18n.language)}
      </time>
    </Hint>
  );
}

/** @param busy lets the dot breathe: something is being worked on. */
export function Badge({ tone, busy = false, children }: { tone: Tone; busy?: boolean; children: React.ReactNode }) {
  return (
    <span className={badgeClasses.badge} data-tone={tone}>
      <span className={badgeClasses.dot} data-busy={busy || undefined} aria-hidden />
      {children}
    </span>
  );
}

/** Where an item or a job stands. */
export function StateBadge({
  state,
  failed = false,
  awaiting = false,
  active = false,
}: {
  state: MintState;
  failed?: boolean;
  awaiting?: boolean;
  active?: boolean;
}) {
  const { t } = useTranslation();
  if (awaiting && !failed) return <Badge tone="wait">{t('common.state.awaiting')}</Badge>;
  return (
    <Badge tone={failed && active ? 'wait' : toneOf(state, failed)} busy={active && !failed}>
      {failed ? t(active ? 'common.state.retrying' : 'common.state.failed') : t(mintStates.row(state).label)}
    </Badge>
  );
}
