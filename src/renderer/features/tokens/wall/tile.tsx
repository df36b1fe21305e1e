import { Skeleton } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { mintStates, type TokenCard } from '../../../../contract/index.ts';
import { Preview } from '../../../components/preview/preview.tsx';
import { fileOf } from '../../../components/preview/preview-file.ts';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import framed from '../../../components/tiles/tile-frame.module.css';
import { TileMark } from '../../../components/tiles/tile-mark.tsx';
import type { Click } from '../../../components/tiles/tile-selection.ts';
import { EndKept } from '../../../components/values/end-kept.tsx';
import { Badge, StateBadge } from '../../../components/values/values.tsx';
import { isTrusted, nameOf } from '../token-rules.ts';
import { canPlay } from './tile-player.tsx';
import classes from './wall.module.css';

/** The picture of a token; words where there is none. What others inscribed is shown in its frame. */
function TokenPicture({ token }: { token: TokenCard }) {
  const { t } = useTranslation();
  const file = fileOf(token);
  if (file !== undefined) return file.inscribedIn === undefined ? <Thumbnail file={file} /> : <Preview file={file} />;
  return (
    <div className={classes.unread}>{t(token.read ? 'tokens.received.noInscription' : 'tokens.received.unread')}</div>
  );
}

/** A badge for a token that is not mined, not trusted or no longer in the wallet. */
function TileState({ token }: { token: TokenCard }) {
  const { t } = useTranslation();
  if (token.source === 'received' && !isTrusted(token)) {
    return <Badge tone="wait">{t('tokens.received.untrusted')}</Badge>;
  }
  if (!mintStates.is(token.state, 'mined')) return <StateBadge state={token.state} failed={false} active />;
  return token.owned ? null : <Badge tone="neutral">{t('tokens.elsewhere')}</Badge>;
}

interface TileProps {
  /** Undefined while it is on its way. */
  token: TokenCard | undefined;
  id: string;
  index: number;
  count: number;
  active: boolean;
  chosen: boolean;
  onClick: (index: number, click: Click) => void;
}

/** Drawn again only where its own values changed, so that scrolling costs no more than the tiles that appear. */
export const Tile = memo(function Tile({ token, id, index, count, active, chosen, onClick }: TileProps) {
  const { t } = useTranslation();
  const label =
    token === undefined
      ? t('common.loading')
      : token.source === 'received'
        ? t('tokens.received.tile', { name: token.name || token.outpoint })
        : t('tokens.tile', {
            name: token.name,
            project: token.projectName ?? '',
            state: t(mintStates.row(token.state).label),
          });
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the wall has the focus and names the token the keyboard stands on.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the wall handles the keys.
    <div
      id={id}
      role="option"
      aria-selected={chosen}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-label={label}
      className={`${framed.frame} ${classes.tile}`}
      data-active={active || undefined}
      data-chosen={chosen || undefined}
      data-plays={(token !== undefined && canPlay(token)) || undefined}
      onClick={(event) =>
        onClick(index, {
          extend: event.shiftKey,
          choose: event.ctrlKey || event.metaKey || (event.target as Element).closest('[data-mark]') !== null,
        })
      }
    >
      {token === undefined ? (
        <Skeleton height="100%" radius={0} animate={false} />
      ) : (
        <>
          <div className={classes.picture}>
            <TokenPicture token={token} />
          </div>
          {token.owned && <TileMark chosen={chosen} />}
          <div className={classes.state}>
            <TileState token={token} />
          </div>
          <div className={classes.words}>
            <div className={classes.name} title={token.name || undefined}>
              {token.name === '' ? nameOf(token) : <EndKept text={token.name} />}
            </div>
            <div className={classes.project}>{token.projectName ?? t('tokens.received.from')}</div>
          </div>
        </>
      )}
    </div>
  );
});
