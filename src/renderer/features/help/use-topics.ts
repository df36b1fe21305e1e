import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { HelpTopic } from '../../lib/feature.ts';

export function useTopicWords(): (topic: HelpTopic) => { title: string; text: string } {
  const { t } = useTranslation();
  return useCallback(
    ({ texts }) => {
      const path = texts as 'help.help';
      return { title: t(`${path}.title`), text: t(`${path}.text`) };
    },
    [t],
  );
}
