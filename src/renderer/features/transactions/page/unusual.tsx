import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../../contract/index.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import classes from './page.module.css';

/** Input numbers named in a sentence, at most. */
const NAMED_INPUTS = 10;

/** What Chronicle allows and a reader should know of: a version above 1, signatures with 0x20, unlocking scripts that compute. */
export function Unusual({ tx }: { tx: TransactionView }) {
  const { t, i18n } = useTranslation();
  const { version, isMalleable, originalDigest, computing } = tx;
  if (!isMalleable && originalDigest.length === 0 && computing.length === 0) return null;
  const named = (inputs: readonly number[]) => {
    const visible = inputs.slice(0, NAMED_INPUTS).map(String);
    const list = new Intl.ListFormat(i18n.language).format(inputs.length > NAMED_INPUTS ? [...visible, '…'] : visible);
    return { count: inputs.length, inputs: list };
  };
  return (
    <Callout tone="wait" title={t('transactions.unusual.title')}>
      <ul className={classes.unusual}>
        {isMalleable && (
          <li>
            {t(tx.confirmations > 0 ? 'transactions.unusual.versionMined' : 'transactions.unusual.version', {
              version,
            })}
          </li>
        )}
        {originalDigest.length > 0 && <li>{t('transactions.unusual.originalDigest', named(originalDigest))}</li>}
        {computing.length > 0 && <li>{t('transactions.unusual.computing', named(computing))}</li>}
      </ul>
    </Callout>
  );
}
