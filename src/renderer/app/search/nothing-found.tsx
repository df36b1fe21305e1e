import { useTranslation } from 'react-i18next';
import { readSought, type SearchAnswer } from '../../../contract/index.ts';
import { useNetwork } from '../../api/live/live-store.ts';
import classes from './search.module.css';

/** Says that nothing matches. For an id it also lists the sources that were asked and those that did not reply. */
export function NothingFound({ text, answer }: { text: string; answer: SearchAnswer | undefined }) {
  const { t, i18n } = useTranslation();
  const network = t(`common.network.${useNetwork()}`);
  const isId = readSought(text).kind !== 'unclear' || /^[0-9a-f]{32}$/i.test(text);
  const list = new Intl.ListFormat(i18n.language, { type: 'conjunction' });
  const named = (state: 'none' | 'failed'): string =>
    list.format(
      (answer?.tried ?? []).filter((one) => one.state === state).map(({ kind }) => t(`app.find.tried.${kind}`)),
    );
  const none = named('none');
  const failed = named('failed');
  return (
    <div className={classes.nothing} role="status">
      <b>{t(isId ? 'app.find.unknownId' : 'app.find.nothing', { text, network })}</b>
      {answer === undefined ? (
        <p>{t('app.find.hostSilent')}</p>
      ) : (
        <>
          {none !== '' && <p>{t('app.find.lookedFor', { list: none })}</p>}
          {failed !== '' && <p>{t('app.find.notAsked', { list: failed })}</p>}
        </>
      )}
    </div>
  );
}
