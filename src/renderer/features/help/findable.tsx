import { IconHelp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { helpTopics } from '../../lib/help-topics.ts';
import { routes } from '../../lib/routes.ts';
import { useTopicWords } from './use-topics.ts';

/** Every topic by its title and text, and the pages that help. */
export function useFindableHelp(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const words = useTopicWords();
  const parts = (['checks', 'notices', 'log', 'report'] as const).map((part) => ({
    id: `help-${part}`,
    label: t(`help.${part}.title`),
    description: t(`help.${part}.link`),
    keywords: t(`help.${part}.purpose`),
    leftSection: <IconHelp {...icon} />,
    onClick: () => navigate(routes.helpPart(part)),
  }));
  const topics = helpTopics().map((topic) => {
    const { title, text } = words(topic);
    return {
      id: `help-${topic.texts}`,
      label: title,
      keywords: text,
      leftSection: <IconHelp {...icon} />,
      onClick: () => navigate(`${routes.help}?find=${encodeURIComponent(topic.texts)}`),
    };
  });
  return [{ group: t('help.title'), explains: true, actions: [...parts, ...topics] }];
}
