import type { TFunction } from 'i18next';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type MintState, mintStates, type Tone } from '../../../contract/index.ts';
import { useKnownName } from '../../api/known-names.ts';
import { useMoney, useOtherUnits, useSatoshisBeside } from '../../api/money.ts';
import { formatExact, formatRelative, shortenId, toneOf } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import badgeClasses from './badge.module.css';
import { CopyButton } from './copy-button.tsx';
import { Hint, InRow } from './hint.tsx';
import { useNow } from './use-now.ts';
import classes from './values.module.css';

/** Route and copy label by kind of id. */
const kinds = {
  transaction: { what: 'common.txidName', to: routes.transaction },
  block: { what: 'common.hashName', to: routes.block },
  output: { what: 'common.outpointName', to: routes.outpoint },
  address: { what: 'common.addressName', to: routes.address },
} as const;

type IdProps = {
  value: string;
  /** Target of the link; without it, the page of its kind. Null for no link, for example if the thing is not on the chain yet. */
  to?: string | null | undefined;
  /** Shows the complete value, wrapped. */
  full?: boolean;
  /** Shows the copy button always instead of on hover. */
  copyAlways?: boolean;
  keep?: number;
} & (
  | {
      /** The kind of a thing on the chain. The value then becomes a link with its known name. */
      kind: keyof typeof kinds;
      /** Its name is shown next to it already. */
      unnamed?: boolean;
    }
  | {
      kind?: never;
      /** Names the value for the copy button, such as a key. */
      what: string;
    }
);

/** An id, address or hash: short form, full value in a tooltip, copy button. */
export function Id({ value, to, full = false, copyAlways = full, keep = 4, ...of }: IdProps) {
  const { t } = useTranslation();
  const kind = of.kind === undefined ? undefined : kinds[of.kind];
  const inRow = useContext(InRow);
  // Rows have a column for the name, and fast scrolling renders hundreds of them.
  const name = useKnownName(of.kind === undefined || of.unnamed === true || inRow ? undefined : value);
  const leads = to === undefined ? kind?.to(value) : (to ?? undefined);
  const text = full ? value : shortenId(value, keep);
  const className = `${classes.idText} ${full ? classes.idFull : ''}`;
  const visible =
    leads === undefined ? (
      <span className={className}>{text}</span>
    ) : inRow ? (
      // Reads the location directly: a link that subscribes to it is too slow in many rows.
      <a href={`#${leads}`} className={`${className} ${classes.idLink}`}>
        {text}
      </a>
    ) : (
      <Link href={leads} className={`${className} ${classes.idLink}`}>
        {text}
      </Link>
    );
  return (
    <span className={classes.id}>
      {name !== undefined && <span className={classes.idName}>{name}</span>}
      {full ? (
        visible
      ) : (
        <Hint text={value} mono>
          {visible}
        </Hint>
      )}
      <CopyButton
        value={value}
        what={of.kind === undefined ? of.what : t(kinds[of.kind].what)}
        className={copyAlways ? undefined : classes.quietCopy}
      />
    </span>
  );
}

/** An amount in the unit of the page, with the other units on hover. @param exact adds the satoshis, for amounts that are signed */
export function Amount({ satoshis, exact = false }: { satoshis: number; exact?: boolean }) {
  const money = useMoney();
  const beside = useSatoshisBeside()(satoshis);
  const otherUnits = useOtherUnits();
  return (
    <Hint text={otherUnits(satoshis)}>
      {exact && beside !== '' ? (
        <span>
          <span className={classes.amount}>{money(satoshis)}</span> <span className={classes.amount}>{beside}</span>
        </span>
      ) : (
        <span className={classes.amount}>{money(satoshis)}</span>
      )}
    </Hint>
  );
}

/** A relative time, with the exact time on hover. */
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

/** @param busy animates the dot: work is in progress */
export function Badge({ tone, busy = false, children }: { tone: Tone; busy?: boolean; children: React.ReactNode }) {
  return (
    <span className={badgeClasses.badge} data-tone={tone}>
      <span className={badgeClasses.dot} data-busy={busy || undefined} aria-hidden />
      {children}
    </span>
  );
}

interface StateBadgeProps {
  state: MintState;
  failed?: boolean;
  awaiting?: boolean;
  active?: boolean;
}

/** The words of a {@link StateBadge}. */
export function stateText(t: TFunction, { state, failed, awaiting, active }: StateBadgeProps): string {
  if (failed) return t(active ? 'common.state.retrying' : 'common.state.failed');
  return t(awaiting ? 'common.state.awaiting' : mintStates.row(state).label);
}

/** State of an item or a job. */
export function StateBadge(props: StateBadgeProps) {
  const { state, failed = false, awaiting = false, active = false } = props;
  const { t } = useTranslation();
  const waits = failed ? active : awaiting;
  return (
    <Badge tone={waits ? 'wait' : toneOf(state, failed)} busy={active && !failed && !awaiting}>
      {stateText(t, props)}
    </Badge>
  );
}
