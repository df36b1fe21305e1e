import { IconArrowRight, IconPlus, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import { showFailure } from '../../components/toasts/show-failure.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Pages that a command opens. */
const pages = [
  ['write', IconPlus, routes.writerTry],
  ['documents', IconArrowRight, routes.writerDocuments],
  ['dead', IconArrowRight, routes.writerDead],
  ['keys', IconArrowRight, routes.writerKeys],
] as const;

/** Writes a document, opens the parts of the data writer, and retries what failed for good. */
export function useWriterCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return [
    {
      group: t('writer.commands.group'),
      actions: [
        ...pages.map(([name, Icon, to]) => ({
          id: `writer-${name}`,
          label: t(`writer.commands.${name}`),
          leftSection: <Icon {...icon} />,
          onClick: () => navigate(to),
        })),
        {
          id: 'writer-retry',
          label: t('writer.commands.retryAll'),
          leftSection: <IconRefresh {...icon} />,
          onClick: () => {
            navigate(routes.writerDead);
            void client.writer.dead.retry({}).catch((error: unknown) => showFailure('writer-retry', error));
          },
        },
      ],
    },
  ];
}
