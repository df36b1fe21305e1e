import { IconArrowRight, IconPlus, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Writes a document, opens the parts of the data writer, and retries what failed for good. */
export function useWriterCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const open = <IconArrowRight {...icon} />;
  return [
    {
      group: t('writer.commands.group'),
      actions: [
        {
          id: 'writer-write',
          label: t('writer.commands.write'),
          leftSection: <IconPlus {...icon} />,
          onClick: () => navigate(routes.writerTry),
        },
        {
          id: 'writer-documents',
          label: t('writer.commands.documents'),
          leftSection: open,
          onClick: () => navigate(routes.writerDocuments),
        },
        {
          id: 'writer-dead',
          label: t('writer.commands.dead'),
          leftSection: open,
          onClick: () => navigate(routes.writerDead),
        },
        {
          id: 'writer-keys',
          label: t('writer.commands.keys'),
          leftSection: open,
          onClick: () => navigate(routes.writerKeys),
        },
        {
          id: 'writer-retry',
          label: t('writer.commands.retryAll'),
          leftSection: <IconRefresh {...icon} />,
          onClick: () => {
            navigate(routes.writerDead);
            void client.writer.dead.retry({}).catch(() => {});
          },
        },
      ],
    },
  ];
}
