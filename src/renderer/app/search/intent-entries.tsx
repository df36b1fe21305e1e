import { IconBulb } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { openDocument } from '../../api/documents.ts';
import { useNetwork } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { navEntries } from '../shell/nav.tsx';
import type { Entry } from './entry.ts';
import { type IntentId, intents, parts } from './intents/intents.ts';

/**
 * Adds other words to the given entries, and adds entries for common tasks. A person's words for a task often differ from the headings.
 * English words match in every language.
 */
export function useIntentEntries(given: readonly Entry[]): Entry[] {
  const { t, i18n } = useTranslation();
  const network = useNetwork();
  const pageOf = (to: string): string => {
    const page = navEntries.find((entry) => entry.to !== '/' && (to === entry.to || to.startsWith(`${entry.to}/`)));
    return page === undefined ? '' : t(page.label);
  };
  const words = new Map<string, string[]>();
  const added: Entry[] = [];
  for (const [id, intent] of Object.entries(intents)) {
    const key = `intents.${id as IntentId}.words` as const;
    const own = [
      ...new Set([t(key), ...(i18n.language === 'en' ? [] : [t(key, { lng: 'en' })])].join(', ').split(', ')),
    ];
    if ('entry' in intent) {
      words.set(intent.entry, own);
      continue;
    }
    const to = 'to' in intent ? intent.to(network) : undefined;
    const opens = 'document' in intent ? { run: () => openDocument(intent.document) } : to !== undefined && { to };
    if (opens === false) continue;
    added.push({
      id: `intent-${id}`,
      group: t('common.commandGroup.actions'),
      label: t(`intents.${id as 'backup'}.label`),
      words: own,
      description: to === undefined ? '' : pageOf(to),
      picture: <IconBulb {...icon} />,
      ...opens,
    });
  }
  const ofPages = parts.map(
    ({ to, page, title }): Entry => ({
      id: `go-${to}`,
      group: t('app.commands.go'),
      label: t(title),
      description: t(page),
      picture: <IconBulb {...icon} />,
      to,
    }),
  );
  const named = given.map((entry) => ({ ...entry, words: words.get(entry.id) }));
  return [...named, ...ofPages, ...added];
}
