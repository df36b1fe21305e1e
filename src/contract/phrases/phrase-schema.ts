import { z } from 'zod';
import type { Phrase, PhraseValues } from './phrase.ts';

export const phraseSchema: z.ZodType<Phrase> = z.object({
  key: z.string(),
  get values() {
    return phraseValuesSchema;
  },
});

export const phraseValuesSchema: z.ZodType<PhraseValues> = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.lazy(() => phraseSchema), z.array(z.lazy(() => phraseSchema))]),
);
