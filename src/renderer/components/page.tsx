import { Button, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useModals } from '@mantine/modals';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle, IconRefresh } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Failure, isPassing, isRetryable } from '../../contract/index.ts';
import { useLive } from '../api/live/live-store.ts';
import { inPageLanguage, textsOfCode } from '../i18n/errors.ts';
import { routes } from '../lib/routes.ts';
import { takeLostFocus } from '../lib/view-focus.ts';
import { Breadcrumbs, type Crumb } from './breadcrumbs.tsx';
import { MendButton, mendOf } from './failure-action.tsx';
import { icon, smallIcon } from './icon.ts';
import { keyChangeOf, MerchantKeyChange } from './merchant-key.tsx';
import classes from './page.module.css';
import { faultWords } from './status/faults.ts';
import calloutClasses from './styles/callout.module.css';
import { useRemembered } from './use-remembered.ts';
import { CopyButton } from './values/copy-button.tsx';

interface PageProps {
  title: string;
  purpose?: ReactNode;
  /** Before the title: a picture. */
  lead?: ReactNode;
  /** Beside the title: a badge. */
  aside?: ReactNode;
  /** One primary action at the right, quiet ones before it. */
  actions?: ReactNode;
  /** What it belongs to, the outermost first. */
  crumbs?: readonly Crumb[];
  /** For a list or a wall of pictures, which a wide window shows more of. */
  wide?: boolean;
  children: ReactNode;
}

/** A page has one title, one sentence of what it is for, one primary action at the right. */
export function Page({ title, purpose, lead, aside, actions, crumbs = [], wide = false, children }: PageProps) {
  const { t } = useTranslation();
  useRemembered(title, crumbs);
  useDocumentTitle(`${title} · ${t('common.appName')}`);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => takeLostFocus(heading.current), []);
  return (
    <div className={classes.page} data-wide={wide || undefined}>
      <header className={classes.header}>
        {lead}
        <div className={classes.heading}>
          {crumbs.length > 0 && <Breadcrumbs crumbs={crumbs} />}
          <div className={classes.titleRow}>
            <Title order={1} ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {aside}
          </div>
          {purpose !== undefined && <Text className={classes.purpose}>{purpose}</Text>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  title?: string;
  hint?: string;
  actions?: ReactNode;
  /** Without padding, for tables and lists that draw their own rows. */
  flush?: boolean;
  children: ReactNode;
}

export function Panel({ title, hint, actions, flush = false, children }: PanelProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      {title !== undefined && (
        <div className={classes.panelHead}>
          <div>
            <Title order={2}>{title}</Title>
            {hint !== undefined && <div className={classes.panelHint}>{hint}</div>}
          </div>
          {actions}
        </div>
      )}
      <div className={flush ? classes.flush : classes.panelBody}>{children}</div>
    </section>
  );
}

/** Says what this place is for and offers the first step. */
export function Empty({
  icon: visible,
  title,
  text,
  action,
}: {
  icon: ReactNode;
  title: string;
  text?: string;
  action?: ReactNode;
}) {
  return (
    <div className={classes.empty}>
      <div className={classes.emptyIcon}>{visible}</div>
      <Title order={2}>{title}</Title>
      {text !== undefined && <Text className={classes.emptyText}>{text}</Text>}
      {action}
    </div>
  );
}

const calloutIcons = { fail: IconCircleX, wait: IconAlertTriangle, info: IconInfoCircle, done: IconCircleCheck };

export function Callout({
  tone,
  title,
  children,
  actions,
  role,
}: {
  tone: keyof typeof calloutIcons;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  role?: 'alert' | 'status';
}) {
  const Shown = calloutIcons[tone];
  return (
    <div className={calloutClasses.callout} data-tone={tone} role={role}>
      <Shown {...icon} className={calloutClasses.calloutIcon} />
      <div className={calloutClasses.calloutBody}>
        <div className={calloutClasses.calloutTitle}>{title}</div>
        {children}
      </div>
      {actions !== undefined && <div className={calloutClasses.calloutActions}>{actions}</div>}
    </div>
  );
}

/** What happened and why in the page's language, what to do, a code to copy, where it is explained, and a way to try again. */
export function FailureNote({
  failure: sent,
  onRetry,
  retrying = false,
  actions: given,
  note,
  isPast = false,
  tone = 'fail',
}: {
  failure: Failure;
  /** Asks the same again. Offered only where that can help, as the catalogue of errors says. */
  onRetry?: () => void;
  retrying?: boolean;
  /** Other ways out, such as a link to where it is mended. */
  actions?: ReactNode;
  /** What happens next, below the hint. */
  note?: ReactNode;
  /** It was noted earlier, so that a fault that is on now need not be why. */
  isPast?: boolean;
  tone?: 'fail' | 'wait';
}) {
  const { t } = useTranslation();
  const modals = useModals();
  const faults = useLive((state) => state.faults);
  const failure = inPageLanguage(sent);
  // A failure that arrived from elsewhere may have no hint of its own.
  const mend = mendOf(failure);
  const hint = mend === undefined ? (failure.hint ?? textsOfCode(failure.code).hint) : t(`common.mend.${mend}.hint`);
  const actions = given ?? (mend && <MendButton mend={mend} />);
  const keyChange = keyChangeOf(failure);
  const detail = keyChange === undefined ? Object.entries(failure.detail ?? {}) : [];
  const retry =
    onRetry === undefined || !isRetryable(failure) ? undefined : (
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh {...smallIcon} />}
        loading={retrying}
        onClick={onRetry}
      >
        {t('common.retry')}
      </Button>
    );
  return (
    <Callout
      tone={tone}
      title={failure.message}
      role="alert"
      actions={
        actions === undefined && retry === undefined ? undefined : (
          <>
            {actions}
            {retry}
          </>
        )
      }
    >
      <Text size="sm">{keyChange?.since ? t(`common.${keyChange.of}.hint`) : hint}</Text>
      {note !== undefined && <Text size="sm">{note}</Text>}
      {faults.length > 0 && !isPast && isPassing(failure) && (
        <Text size="sm">
          {t('services.faultMayBeWhy', { what: faults.map((fault) => faultWords(t, fault)).join('; ') })}
        </Text>
      )}
      {keyChange !== undefined && (
        <MerchantKeyChange change={keyChange} failureNote={(refused) => <FailureNote failure={refused} />} />
      )}
      {detail.length > 0 && (
        <dl className={calloutClasses.details}>
          {detail.map(([key, value]) => (
            <div key={key} style={{ display: 'contents' }}>
              <dt>{key}</dt>
              <dd className="mono">{String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      <span className={calloutClasses.code}>
        <span>{t('common.errorCode')}</span>
        <span className="mono">{failure.code}</span>
        <CopyButton value={`${failure.code}: ${failure.message}\n${hint}`} what={t('common.codeName')} />
        {/* A dialog would stay open above the page that explains the code. */}
        <Link href={routes.errorHelp(failure.code)} onClick={() => modals.closeAll()}>
          {t('common.errorHelp')}
        </Link>
      </span>
    </Callout>
  );
}
