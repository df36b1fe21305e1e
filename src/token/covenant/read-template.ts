import { ParameterError } from '../errors.ts';
import { isRecord } from '../values/values.ts';
import type { TokenTemplate } from './token-template.ts';

/** Validates a custom token script. @throws TokenError `parameter-invalid` */
export function readTemplate(template: unknown, field: string): TokenTemplate {
  const isTemplate =
    isRecord(template) &&
    Number.isSafeInteger(template.maxOutputs) &&
    typeof template.merges === 'boolean' &&
    ['lock', 'decode', 'unlock'].every((name) => typeof template[name] === 'function');
  if (isTemplate) return template as unknown as TokenTemplate;
  const message = '{field} is not a TokenTemplate: it needs maxOutputs, merges, lock, decode and unlock.';
  throw new ParameterError('parameter-invalid', field, message);
}

/** Validates a list of token scripts. @throws TokenError `parameter-invalid` */
export function readTemplates(templates: unknown): readonly TokenTemplate[] {
  if (!Array.isArray(templates)) throw new ParameterError('parameter-invalid', 'templates', '{field} is not a list.');
  return Array.from(templates, (template, index) => readTemplate(template, `templates[${index}]`));
}
