import { useTranslation } from 'react-i18next';
import type { WriterState } from '../../../contract/index.ts';
import { Badge } from '../../components/values.tsx';
import type { Tone } from '../../lib/format.ts';

/** In the order a document passes them; `dead` is the way out. */
export const writerStates: readonly WriterState[] = [
  'accepted',
  'funded',
  'signed',
  'submitted',
  'seen',
  'mined',
  'proven',
  'dead',
];

const tones: Readonly<Record<WriterState, Tone>> = {
  accepted: 'wait',
  funded: 'info',
  signed: 'info',
  submitted: 'info',
  seen: 'info',
  mined: 'done',
  proven: 'done',
  dead: 'fail',
};

export function WriterBadge({ state }: { state: WriterState }) {
  const { t } = useTranslation();
  return (
    <Badge tone={tones[state]} busy={tones[state] === 'info' || tones[state] === 'wait'}>
      {t(`writer.state.${state}`)}
    </Badge>
  );
}
