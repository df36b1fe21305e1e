import { Button, Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Review as ReviewData } from '../../../contract/index.ts';
import { useLive } from '../../api/live-store.ts';
import { formatSatoshis, shortenId } from '../../lib/format.ts';
import { smallIcon } from '../icon.ts';
import { Callout, Panel } from '../page.tsx';
import { Flow } from './flow.tsx';
import classes from './review.module.css';
import { ReviewFields } from './review-fields.tsx';

function Sentences({ review }: { review: ReviewData }) {
  const { t, i18n } = useTranslation();
  const own = useLive((state) => state.wallet?.address);
  const money = (satoshis: number): string => formatSatoshis(satoshis, i18n.language);
  const tokens = review.outputs.filter((output) => output.kind === 'token');
  const dust = tokens.reduce((sum, output) => sum + output.satoshis, 0);
  const change = review.outputs
    .filter((output) => output.kind === 'change')
    .reduce((sum, output) => sum + output.satoshis, 0);
  const address = shortenId(review.destination, 6);
  const destination = own === review.destination ? t('review.ownWallet', { address }) : address;
  return (
    <p className={classes.sentences}>
      {t('review.mintSentence', { count: tokens.length, destination })}{' '}
      {t('review.feeSentence', { fee: money(review.fee), dust: money(dust), total: money(review.fee + dust) })}{' '}
      {change > 0 ? t('review.changeSentence', { amount: money(change) }) : t('review.noChangeSentence')}
    </p>
  );
}

function Checks({ review }: { review: ReviewData }) {
  const { t } = useTranslation();
  const failed = review.checks.filter((check) => !check.passed);
  // What failed comes first: it is what the person has to read.
  const ordered = [...failed, ...review.checks.filter((check) => check.passed)];
  return (
    <Panel
      title={t('review.checks')}
      hint={
        failed.length === 0
          ? t('review.checksPassed', { count: review.checks.length })
          : t('review.checksFailed', { count: failed.length })
      }
    >
      <ul className={classes.checks}>
        {ordered.map((check) => (
          <li key={check.id} className={classes.check} data-failed={!check.passed || undefined} data-check={check.id}>
            {check.passed ? (
              <IconCheck {...smallIcon} stroke={2} aria-hidden={false} role="img" aria-label={t('review.passed')} />
            ) : (
              <IconX {...smallIcon} stroke={2} aria-hidden={false} role="img" aria-label={t('review.failed')} />
            )}
            <span>{check.text}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/**
 * What is about to be signed, the same wherever something is: plain sentences, the drawing, the checks, every field.
 * @param names token names by item id.
 * @param sentences what it does in plain words, where it is no mint.
 * @param explained what failed is said above already.
 */
export function Review({
  review,
  names,
  sentences,
  explained = false,
}: {
  review: ReviewData;
  names: ReadonlyMap<string, string>;
  sentences?: ReactNode;
  explained?: boolean;
}) {
  const { t } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  const failed = review.checks.filter((check) => !check.passed).length;
  return (
    <Stack gap="md">
      {!explained && (!review.ok || failed > 0) && (
        <Callout tone="fail" role="alert" title={t('review.checksFailed', { count: Math.max(1, failed) })} />
      )}
      {review.quote?.publicKey === null && (
        <Callout tone="wait" title={t('review.quoteUnsignedTitle')}>
          {t('review.quoteUnsignedText')}
        </Callout>
      )}
      <Panel>
        {sentences === undefined ? <Sentences review={review} /> : <p className={classes.sentences}>{sentences}</p>}
      </Panel>
      {failed > 0 && <Checks review={review} />}
      <Panel title={t('review.drawing')}>
        <Flow source={review} names={names} />
      </Panel>
      {failed === 0 && <Checks review={review} />}
      <Panel
        title={t('review.fields')}
        actions={
          <Button
            size="compact-sm"
            variant="subtle"
            aria-expanded={open}
            rightSection={open ? <IconChevronUp {...smallIcon} /> : <IconChevronDown {...smallIcon} />}
            onClick={toggle}
          >
            {t(open ? 'review.hideFields' : 'review.showFields')}
          </Button>
        }
        flush
      >
        <Collapse expanded={open} keepMounted={false}>
          <div style={{ padding: 16 }}>
            <ReviewFields review={review} names={names} />
          </div>
        </Collapse>
      </Panel>
    </Stack>
  );
}
