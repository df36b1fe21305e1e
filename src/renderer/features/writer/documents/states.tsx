import { useTranslation } from 'react-i18next';
import { type WriterState, writerStates } from '../../../../contract/index.ts';
import { Badge } from '../../../components/values/values.tsx';

/** The state of a document; the badge is animated until the document is mined or given up. */
export function WriterBadge({ state }: { state: WriterState }) {
  const { t } = useTranslation();
  const { tone, label } = writerStates.row(state);
  return (
    <Badge tone={tone} busy={!writerStates.is(state, 'mined') && !writerStates.is(state, 'final')}>
      {t(label)}
    </Badge>
  );
}
