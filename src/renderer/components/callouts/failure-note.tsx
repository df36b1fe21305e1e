import { Button, Text } from '@mantine/core';
import { useModals } from '@mantine/modals';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Failure, isPassing, isRetryable } from '../../../contract/index.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live/live-store.ts';
import { inPageLanguage, textsOfCode } from '../../i18n/errors.ts';
import { hintOf } from '../../i18n/reason.ts';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { smallIcon } from '../icon.ts';
import { faultWords } from '../status/faults.ts';
import { CopyButton } from '../values/copy-button.tsx';
import calloutClasses from './callout.module.css';
import { Callout } from './callout.tsx';
import { mendButton } from './failure-action.tsx';
import { keyChangeOf, MerchantKeyChange } from './merchant-key.tsx';

interface FailureNoteProps {
  failure: Failure;
  /** Repeats the request. Offered only if the catalogue of errors says that this may help. */
  onRetry?: () => void;
  retrying?: boolean;
  /** Other actions, such as a link to the page with the fix. */
  actions?: ReactNode;
  /** What happens next, below the hint. */
  note?: ReactNode;
  /** The failure was recorded earlier, so an active sandbox fault may not be its cause. */
  isPast?: boolean;
  tone?: 'fail' | 'wait';
}

/** A failure in the page's language: what happened and why, the fix, a code to copy, a link to its explanation, and a retry. */
export function FailureNote(props: FailureNoteProps) {
  const { failure: sent, onRetry, retrying = false, actions: given, note, isPast = false, tone = 'fail' } = props;
  const { t, i18n } = useTranslation();
  const modals = useModals();
  const faults = useLive((state) => state.faults);
  const failure = inPageLanguage(sent);
  const actions = given ?? mendButton(failure);
  const keyChange = keyChangeOf(failure);
  // A failure of another program may have no hint of its own.
  const hint = hintOf(failure) ?? textsOfCode(failure.code).hint;
  const told = `${failure.message} ${hint}`;
  // Whole numbers with their separators: 345 is not said by 12,345.
  const toldNumbers: readonly string[] = told.match(/\b\d+(?:[.,]\d+)*\b/g) ?? [];
  const isSaid = (value: unknown): boolean => {
    if (typeof value !== 'number') return String(value).length > 3 && told.includes(String(value));
    // A text without a translation has the separators of English.
    const written = Number.isInteger(value) ? [formatInteger(value, i18n.language), formatInteger(value)] : [];
    return [String(value), ...written].some((number) => toldNumbers.includes(number));
  };
  const detail =
    keyChange === undefined ? Object.entries(failure.detail ?? {}).filter(([, value]) => !isSaid(value)) : [];
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

/** Why a call failed. @param error as it was thrown; null shows nothing */
export function ErrorNote({ error, ...note }: Omit<FailureNoteProps, 'failure'> & { error: unknown }) {
  return error === null ? null : <FailureNote failure={failureOf(error)} {...note} />;
}
