import { IconArrowRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TokenCard } from '../../../../contract/index.ts';
import { icon } from '../../../components/icon.ts';
import { Preview } from '../../../components/preview/preview.tsx';
import { fileOf } from '../../../components/preview/preview-file.ts';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import { Id } from '../../../components/values/values.tsx';
import classes from './send.module.css';

/** Words and scripts of others are never drawn here; only pictures are. */
function Picture({ token }: { token: TokenCard }) {
  const file = fileOf(token);
  if (file === undefined) return null;
  return (
    <div className={classes.picture}>
      {file.inscribedIn === undefined ? <Thumbnail file={file} small /> : <Preview file={file} small />}
    </div>
  );
}

interface WhatMovesProps {
  token: TokenCard;
  /** Undefined until it is a valid address. */
  receiver: string | undefined;
  own: boolean;
}

/** The token, who has it, and who gets it. */
export function WhatMoves({ token, receiver, own }: WhatMovesProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.moves}>
      <div className={classes.party}>
        <Picture token={token} />
        <div>
          <div className={classes.name}>{token.name || t('tokens.received.title')}</div>
          <div className={classes.dim}>{token.projectName ?? t('tokens.received.from')}</div>
          <Id value={token.outpoint} kind="output" unnamed keep={6} />
        </div>
      </div>
      <IconArrowRight {...icon} aria-hidden />
      <div className={classes.party}>
        <div>
          <div className={classes.name}>
            {t(receiver === undefined ? 'tokens.send.nobody' : own ? 'tokens.send.yourself' : 'tokens.send.receiver')}
          </div>
          {receiver !== undefined && (
            <>
              <div className={classes.address}>{receiver}</div>
              <div className={classes.dim}>{t('tokens.send.whole')}</div>
            </>
          )}
        </div>
      </div>
    </div>
  );
}
