import { IconDatabaseImport } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useWriterCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    writer: typeof texts;
  }
}

const page = async () => (await import('./writer.tsx')).Writer;

/** The data writer: documents in, proofs of their place on chain out. */
export const writer: Feature = {
  texts: { writer: texts },
  nav: { group: 'connect', to: routes.writer, label: 'writer.nav', Icon: IconDatabaseImport },
  help: [{ texts: 'writer.help', at: routes.writer }],
  views: [
    view(routes.writer, page, { props: { tab: 'queue' }, isHeavy: true }),
    view(routes.writerDocuments, page, { props: { tab: 'documents' } }),
    view('/writer/documents/:id', async () => (await import('./documents/document-page.tsx')).DocumentPage, {
      keyedBy: 'id',
    }),
    view(routes.writerDead, page, { props: { tab: 'dead' } }),
    view(routes.writerKeys, page, { props: { tab: 'keys' } }),
    view(routes.writerTry, page, { props: { tab: 'try' } }),
  ],
  useCommands: useWriterCommands,
};
