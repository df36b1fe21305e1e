import { useTranslation } from 'react-i18next';
import type { Repeat } from '../../../contract/index.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { formatInteger } from '../../lib/format.ts';

/** Says before an approval which of the files are tokens already. Nothing where none is. */
export function RepeatedFiles({ repeats }: { repeats: readonly Repeat[] }) {
  const { t, i18n } = useTranslation();
  if (repeats.length === 0) return null;
  return (
    <Callout tone="wait" title={t('mint.repeats.title')}>
      {repeats.map(({ projectUid, projectName, files: count }) => (
        <div key={projectUid}>
          {t('mint.repeats.project', { count, files: formatInteger(count, i18n.language), project: projectName })}
        </div>
      ))}
    </Callout>
  );
}
