import { useMoney, useOtherUnits } from '../../../api/money.ts';
import { Hint } from '../../../components/values/hint.tsx';
import classes from '../wallet.module.css';

/** What a transaction changed: what came in has a plus. */
export function Signed({ satoshis }: { satoshis: number }) {
  const money = useMoney();
  const otherUnits = useOtherUnits();
  const sign = satoshis > 0 ? '+' : satoshis < 0 ? '−' : '';
  const size = Math.abs(satoshis);
  return (
    <Hint text={otherUnits(size)}>
      <span className={classes.signed} data-in={satoshis > 0 || undefined}>
        {`${sign}${money(size)}`}
      </span>
    </Hint>
  );
}
