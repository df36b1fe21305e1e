import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { mintStates, previewKind, type RunItem } from '../../../../../contract/index.ts';
import { Panel } from '../../../../components/page.tsx';
import { Thumbnail } from '../../../../components/preview/thumbnail.tsx';
import classes from '../../../../components/tiles/picture-grid.module.css';
import { EndKept } from '../../../../components/values/end-kept.tsx';
import { formatInteger } from '../../../../lib/format.ts';
import { routes } from '../../../../lib/routes.ts';
import { fileOf } from './run-map.tsx';

/** Pictures shown at first, and with each further step. */
const PAGE = 60;

function Tile({ item }: { item: RunItem }) {
  return (
    <>
      <span className={classes.picture}>
        <Thumbnail
          file={fileOf(item)}
          small={!['image', 'video', 'model', 'text'].includes(previewKind(item.contentType))}
        />
      </span>
      <span className={classes.tileName} title={item.name}>
        <EndKept text={item.name} />
      </span>
    </>
  );
}

/** What was minted, as pictures. Each leads to its token on the chain. */
export function RunGallery({
  items,
  linked = true,
}: {
  items: readonly RunItem[];
  /** False where the tokens are on a network that is gone. */
  linked?: boolean;
}) {
  const { t, i18n } = useTranslation();
  const [shown, setShown] = useState(PAGE);
  const minted = items.filter((item) => item.outpoint !== null && mintStates.is(item.state, 'submitted'));
  if (minted.length === 0) return null;
  const rest = minted.length - shown;
  return (
    <Panel title={t('run.gallery.title')}>
      <ul className={classes.gallery}>
        {minted.slice(0, shown).map((item) => (
          <li key={item.id}>
            {linked ? (
              <Link href={routes.outpoint(item.outpoint as string)} className={classes.tile}>
                <Tile item={item} />
              </Link>
            ) : (
              <span className={classes.tile}>
                <Tile item={item} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <Button mt="md" variant="default" onClick={() => setShown(shown + PAGE * 4)}>
          {t('run.gallery.more', { count: rest, rest: formatInteger(rest, i18n.language) })}
        </Button>
      )}
    </Panel>
  );
}
