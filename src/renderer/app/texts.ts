import { addTexts } from '../i18n/index.ts';
import { addHelp } from '../lib/help-topics.ts';
import texts from './en.json' with { type: 'json' };
import { features } from './features.ts';

declare module '../i18n/index.ts' {
  interface Texts {
    app: typeof texts;
  }
}

addTexts({ app: texts });
for (const feature of features) {
  addTexts(feature.texts);
  addHelp(feature.help ?? []);
}
