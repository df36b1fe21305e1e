import { useTranslation } from 'react-i18next';
import { useMoneyForm } from '../../../api/money.ts';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { bsvDecimal, formatBsv, formatCurrency, formatSatoshis } from '../../../lib/money/money.ts';
import classes from './going-live.module.css';

/** An amount that a person has to get elsewhere: in satoshis, in BSV as other programs expect it, and in a currency if there is a rate. */
export function ThreeUnits({ label, satoshis }: { label: string; satoshis: number }) {
  const { t, i18n } = useTranslation();
  const rate = useMoneyForm((form) => form.rate);
  return (
    <div>
      <div className={layout.dim}>{label}</div>
      <div className={classes.large} data-testid="satoshis">
        {formatSatoshis(satoshis, i18n.language)}
      </div>
      <div className={classes.others}>
        <span className="num">{formatBsv(satoshis, i18n.language)}</span>
        <CopyButton value={bsvDecimal(satoshis)} what={t('goingLive.money.amountInBsv')} />
        {rate !== null && <span className="num">≈ {formatCurrency(satoshis, rate, i18n.language)}</span>}
      </div>
    </div>
  );
}
