import type { CSSProperties } from 'react';
import type { TokenCard } from '../../../../contract/index.ts';
import { isPlayable, PlayButton, PlayerInPlace } from '../../../components/preview/players.tsx';
import { fileOf } from '../../../components/preview/preview-file.ts';
import { nameOf } from '../token-rules.ts';
import classes from './tile-player.module.css';

/** Whether a token has a video or a sound that plays on the wall. */
export function canPlay(token: TokenCard): boolean {
  const file = fileOf(token);
  return file !== undefined && isPlayable(file);
}

interface TilePlayerProps {
  token: TokenCard;
  /** Where its tile lies on the wall. */
  place: CSSProperties;
  playing: boolean;
  onPlaying: (playing: boolean) => void;
}

/** Lies over a tile, since an option of a listbox may not contain a button. */
export function TilePlayer({ token, place, playing, onPlaying }: TilePlayerProps) {
  const file = fileOf(token);
  return (
    <div className={classes.over} style={place}>
      {playing && file !== undefined && (
        <div className={classes.player}>
          <PlayerInPlace file={file} />
        </div>
      )}
      <PlayButton className={classes.play} name={nameOf(token)} playing={playing} onPlaying={onPlaying} />
    </div>
  );
}
