import { useTranslation } from 'react-i18next';
import { Hint } from '../../../components/values/hint.tsx';
import { formatBsv, formatSatoshis } from '../../../lib/format.ts';
import classes from '../wallet.module.css';

/** What a transaction changed: what came in has a plus. */
export function Signed({ satoshis }: { satoshis: number }) {
  const { i18n } = useTranslation();
  const sign = satoshis > 0 ? '+' : satoshis < 0 ? '−' : '';
  const size = Math.abs(satoshis);
  return (
    <Hint text={`${sign}${formatBsv(size, i18n.language)}`}>
      <span className={classes.signed} data-in={satoshis > 0 || undefined}>
        {`${sign}${formatSatoshis(size, i18n.language)}`}
      </span>
    </Hint>
  );
}
