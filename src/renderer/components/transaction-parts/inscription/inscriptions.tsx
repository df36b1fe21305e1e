import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../../contract/index.ts';
import { formatInteger } from '../../../lib/format.ts';
import { Panel } from '../../page.tsx';
import { Preview } from '../../preview/preview.tsx';
import layout from '../../styles/layout.module.css';
import tiles from '../../tiles/picture-grid.module.css';
import { EndKept } from '../../values/end-kept.tsx';
import { Inscription } from './inscription.tsx';

/** Up to this number, every inscription is shown in full. With more, the page would be too long. */
const SHOWN_WHOLE = 3;

/** Tiles shown at first, and added per step. */
const PAGE = 24;

/** Defined once: a new function on each render would scroll the page again. */
function bringIntoView(node: HTMLElement | null): void {
  node?.scrollIntoView({ block: 'nearest' });
}

interface InscriptionsProps {
  txid: string;
  outputs: TransactionView['outputs'];
}

/** The inscriptions of a transaction: each in full if there are few, else as tiles that open one. */
export function Inscriptions({ txid, outputs }: InscriptionsProps) {
  const { t, i18n } = useTranslation();
  const [chosen, setChosen] = useState<number>();
  const [shown, setShown] = useState(PAGE);
  const inscribed = outputs.filter((output) => output.inscription !== null);
  if (inscribed.length <= SHOWN_WHOLE) {
    return inscribed.map((output) => <Inscription key={output.index} txid={txid} output={output} />);
  }
  const opened = inscribed.find(({ index }) => index === chosen);
  const rest = inscribed.length - shown;
  return (
    <>
      <Panel
        title={t('transactions.inscribed', { tokens: formatInteger(inscribed.length, i18n.language) })}
        hint={t('transactions.inscribedHint')}
      >
        <ul className={tiles.gallery}>
          {inscribed.slice(0, shown).map(({ index, inscription }) => {
            if (inscription === null) return null;
            const name = inscription.metadata.name ?? t('transactions.emptyTokenName');
            return (
              <li key={index}>
                <button
                  type="button"
                  className={tiles.tile}
                  aria-pressed={index === chosen}
                  onClick={() => setChosen(index === chosen ? undefined : index)}
                >
                  <span className={tiles.picture}>
                    <Preview file={{ ...inscription, name, inscribedIn: { txid, index } }} />
                  </span>
                  <span className={tiles.tileName} title={name}>
                    <EndKept text={name} />
                  </span>
                  <span className={layout.dim}>{t('transactions.inscriptionOf', { n: index })}</span>
                </button>
              </li>
            );
          })}
        </ul>
        {rest > 0 && (
          <Button mt="md" variant="default" onClick={() => setShown(shown + PAGE * 10)}>
            {t('transactions.inscribedMore', { rest: formatInteger(rest, i18n.language) })}
          </Button>
        )}
      </Panel>
      {opened !== undefined && (
        <div key={opened.index} ref={bringIntoView}>
          <Inscription txid={txid} output={opened} />
        </div>
      )}
    </>
  );
}
