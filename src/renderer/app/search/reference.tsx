import { IconBook2, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { documentHeadings, openDocument } from '../../api/documents.ts';
import { icon } from '../../components/icon.ts';
import { routes } from '../../lib/routes.ts';
import type { Entry } from './entry.ts';

/** Commands of the node, which open in the console of the gateway, and the headings of the documents. @param wanted false sends no request */
export function useReference(wanted: boolean): Entry[] {
  const { t } = useTranslation();
  const forGood = { enabled: wanted, staleTime: Number.POSITIVE_INFINITY, retry: false };
  const { data: commands } = useQuery(api.gateway.commands.queryOptions(forGood));
  const { data: headings } = useQuery({ ...documentHeadings, enabled: wanted });
  return useMemo(
    () => [
      ...(commands ?? []).map(({ name }) => ({
        id: `command-${name}`,
        group: t('gateway.tabs.console'),
        label: name,
        description: t('gateway.nav'),
        picture: <IconTerminal2 {...icon} />,
        to: routes.gatewayCommand(name),
      })),
      ...(headings ?? []).map(({ at, text, page }) => ({
        id: `document-${at}`,
        group: t('help.documents.title'),
        label: text,
        description: text === page ? '' : page,
        picture: <IconBook2 {...icon} />,
        explains: true,
        isCall: /^(GET|POST|PUT|PATCH|DELETE) /.test(text),
        run: () => openDocument(at),
      })),
    ],
    [commands, headings, t],
  );
}
