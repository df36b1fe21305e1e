import { Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Review as ReviewData } from '../../../contract/index.ts';
import { checkInPageLanguage } from '../../i18n/phrases.ts';
import { Callout } from '../callouts/callout.tsx';
import { FoldButton } from '../fold-button.tsx';
import { Panel } from '../page.tsx';
import type { PreviewFile } from '../preview/preview-file.ts';
import { Checks } from './checks.tsx';
import { Flow } from './flow/flow.tsx';
import classes from './review.module.css';
import { ReviewFields } from './review-fields.tsx';
import { Summary } from './summary.tsx';

/** Passed checks that a person has to know about, with their titles. */
const warnings = {
  'hidden-marks': 'review.hiddenMarksTitle',
  'look-alike': 'review.lookAlikeTitle',
  unanswered: 'review.unansweredTitle',
} as const;

const noFiles: ReadonlyMap<string, PreviewFile> = new Map();

interface ReviewProps {
  review: ReviewData;
  names: ReadonlyMap<string, string>;
  files?: ReadonlyMap<string, PreviewFile>;
  sentences?: ReactNode;
  explained?: boolean;
  receiverShown?: boolean;
}

/**
 * The review of a transaction before it is signed: the art with plain sentences and the fee, the checks, the drawing, every field.
 * @param names token names by item id.
 * @param files files of the tokens by item id, for their pictures.
 * @param sentences what the transaction does in plain words, if it is not a mint
 * @param explained the page already shows the failed checks
 * @param receiverShown the page already shows the receiver's complete address
 */
export function Review(props: ReviewProps) {
  const { review, names, files = noFiles, sentences, explained = false, receiverShown = false } = props;
  const { t } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  const failed = review.checks.filter((check) => !check.passed).length;
  return (
    <Stack gap="md">
      {!explained && (!review.ok || failed > 0) && (
        <Callout tone="fail" role="alert" title={t('review.checksFailed', { count: Math.max(1, failed) })} />
      )}
      {review.checks.some(({ id, passed }) => id === 'base64-content' && passed) && (
        <Callout tone="wait" title={t('review.base64Title')}>
          {t('review.base64Text')}
        </Callout>
      )}
      {(Object.keys(warnings) as (keyof typeof warnings)[]).flatMap((warning) =>
        review.checks
          .filter(({ id, passed }) => id === warning && passed)
          .map((check) => (
            <Callout key={check.text} tone="wait" role="alert" title={t(warnings[warning])}>
              {checkInPageLanguage(check)}
            </Callout>
          )),
      )}
      {review.quote?.publicKey === null && (
        <Callout tone="wait" title={t('review.quoteUnsignedTitle')}>
          {t('review.quoteUnsignedText')}
        </Callout>
      )}
      {failed > 0 && <Checks checks={review.checks} />}
      <Summary review={review} files={files} sentences={sentences} receiverShown={receiverShown} />
      {failed === 0 && <Checks checks={review.checks} />}
      <Panel title={t('review.drawing')}>
        <Flow source={review} names={names} files={files} />
      </Panel>
      <Panel
        title={t('review.fields')}
        actions={
          <FoldButton open={open} label={t(open ? 'review.hideFields' : 'review.showFields')} onClick={toggle} />
        }
        flush
      >
        <Collapse expanded={open} keepMounted={false}>
          <div className={classes.fieldsBody}>
            <ReviewFields review={review} names={names} />
          </div>
        </Collapse>
      </Panel>
    </Stack>
  );
}
