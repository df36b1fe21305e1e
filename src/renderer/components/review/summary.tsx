import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Review } from '../../../contract/index.ts';
import { useKnownName } from '../../api/known-names.ts';
import { useLive } from '../../api/live/live-store.ts';
import { useExactMoney } from '../../api/money.ts';
import { formatBytes, formatInteger, formatShare, shortenId } from '../../lib/format.ts';
import { Panel } from '../page.tsx';
import { Thumb } from '../preview/art.tsx';
import { hasPlayer } from '../preview/players.tsx';
import { Preview } from '../preview/preview.tsx';
import type { PreviewFile } from '../preview/preview-file.ts';
import { Fact } from '../values/fact.tsx';
import { Amount } from '../values/values.tsx';
import { sum } from './sum.ts';
import classes from './summary.module.css';

/** Pictures shown next to the sentences; the rest is a number. */
const PICTURES = 12;

function Sentences({ review }: { review: Review }) {
  const { t } = useTranslation();
  const own = useLive((state) => state.wallet?.address);
  const money = useExactMoney();
  const tokens = review.outputs.filter((output) => output.kind === 'token');
  const dust = sum(tokens);
  const change = sum(review.outputs.filter((output) => output.kind === 'change'));
  const address = shortenId(review.destination, 6);
  const destination = own === review.destination ? t('review.ownWallet', { address }) : address;
  return (
    <>
      {t('review.mintSentence', { count: tokens.length, destination })}{' '}
      {t('review.feeSentence', {
        count: tokens.length,
        fee: money(review.fee),
        dust: money(dust),
        total: money(review.fee + dust),
      })}{' '}
      {change > 0 ? t('review.changeSentence', { amount: money(change) }) : t('review.noChangeSentence')}
    </>
  );
}

/** The fee in three units, and its bytes with the share of the art. */
function Fee({ review }: { review: Review }) {
  const { t, i18n } = useTranslation();
  const language = i18n.language;
  const paid = review.fee + sum(review.outputs.filter((output) => output.kind !== 'change'));
  const rate = review.size === 0 ? 0 : Math.round((review.fee / review.size) * 1_000);
  const art = review.outputs.reduce((bytes, output) => bytes + (output.contentBytes ?? 0), 0);
  return (
    <dl className={classes.fee}>
      <Fact name={t('review.fee')}>
        <Amount satoshis={review.fee} exact />
      </Fact>
      <Fact name={t('review.feeShare')} num>
        {formatShare(review.fee, paid, language)}
      </Fact>
      <Fact name={t('review.rate')} num>
        {t('review.rateValue', { rate: formatInteger(rate, language) })}
      </Fact>
      {art > 0 && (
        <Fact name={t('review.paidFor')} num>
          {t('review.paidForValue', { art: formatBytes(art, language), size: formatBytes(review.size, language) })}
        </Fact>
      )}
    </dl>
  );
}

/** Number of addresses that are written out. A payment may have thousands of receivers; the list of all fields has them all. */
const ADDRESSES = 5;

/** A receiver's complete address, since the short forms of two addresses can be equal. */
function Receiver({ address }: { address: string }) {
  const name = useKnownName(address);
  return (
    <dd className={classes.address}>
      {address}
      {name !== undefined && <span> {name}</span>}
    </dd>
  );
}

/** The receivers other than the wallet's own main address. */
function Receivers({ outputs }: { outputs: Review['outputs'] }) {
  const { t } = useTranslation();
  const own = useLive((state) => state.wallet?.address);
  const paid = outputs.filter(({ kind, address }) => kind !== 'change' && address !== null && address !== own);
  const addresses = [...new Set(paid.map(({ address }) => address as string))];
  if (addresses.length === 0) return null;
  const rest = addresses.length - ADDRESSES;
  return (
    <dl className={classes.receivers}>
      <dt>{t('review.goesTo')}</dt>
      {addresses.slice(0, ADDRESSES).map((address) => (
        <Receiver key={address} address={address} />
      ))}
      {rest > 0 && <dd>{t('review.moreReceivers', { count: rest })}</dd>}
    </dl>
  );
}

interface SummaryProps {
  review: Review;
  files: ReadonlyMap<string, PreviewFile>;
  sentences?: ReactNode;
  receiverShown: boolean;
}

/** What the transaction does in plain words with pictures of the tokens, and what it costs. */
export function Summary({ review, files, sentences, receiverShown }: SummaryProps) {
  const pictures = review.outputs.flatMap(({ index, itemId }) => {
    const file = itemId === null ? undefined : files.get(itemId);
    return file === undefined ? [] : [{ index, file }];
  });
  const [only] = pictures;
  const played = pictures.length === 1 && only !== undefined && hasPlayer(only.file) ? only.file : undefined;
  const hidden = pictures.length > PICTURES + 1 ? pictures.slice(PICTURES) : [];
  const shown = pictures.slice(0, pictures.length - hidden.length);
  return (
    <Panel>
      <div className={classes.summary} data-pictures={shown.length > 0 || undefined}>
        {played !== undefined ? (
          <div className={classes.player}>
            <Preview file={played} full />
          </div>
        ) : (
          shown.length > 0 && (
            <div className={classes.pictures} data-many={shown.length > 4 || undefined} aria-hidden>
              {shown.map(({ index, file }) => (
                <Thumb key={index} file={file} size={shown.length === 1 ? 96 : 44} />
              ))}
              {hidden.length > 0 && <span className={classes.morePictures}>+{hidden.length}</span>}
            </div>
          )
        )}
        <div>
          <p className={classes.sentences} data-step-start>
            {sentences ?? <Sentences review={review} />}
          </p>
          {!receiverShown && <Receivers outputs={review.outputs} />}
          <Fee review={review} />
        </div>
      </div>
    </Panel>
  );
}
