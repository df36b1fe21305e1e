/** Readers of values of any kind, for parameters whose types nobody has checked. */
import { ParameterError } from './errors.ts';
import type { TokenTemplate } from './template.ts';

/** Whether a value has properties: an object that is not null, and no list. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of parameters. @throws TokenError `parameter-missing`, `parameter-invalid` */
function readParams<T extends object>(params: T | null | undefined, field = 'params'): T {
  if (params === null || params === undefined)
    throw new ParameterError('parameter-missing', field, `${field} is missing.`);
  if (!isRecord(params)) throw new ParameterError('parameter-invalid', field, `${field} is not an object.`);
  return params;
}

/** An object of options, which may be absent. @throws TokenError `parameter-invalid` */
export function readOptions<T extends object>(options: T | null | undefined, field: string): Partial<T> {
  return options === null || options === undefined ? {} : readParams(options, field);
}

/** Another token script than this project's. @throws TokenError `parameter-invalid` */
function readTemplate(template: unknown, field: string): TokenTemplate {
  const isTemplate =
    isRecord(template) &&
    Number.isSafeInteger(template.maxOutputs) &&
    typeof template.merges === 'boolean' &&
    ['lock', 'decode', 'unlock'].every((name) => typeof template[name] === 'function');
  if (isTemplate) return template as unknown as TokenTemplate;
  const message = `${field} is not a TokenTemplate: it needs maxOutputs, merges, lock, decode and unlock.`;
  throw new ParameterError('parameter-invalid', field, message);
}

/** Token scripts to compare with. @throws TokenError `parameter-invalid` */
export function readTemplates(templates: unknown, field: string): readonly TokenTemplate[] {
  if (!Array.isArray(templates)) throw new ParameterError('parameter-invalid', field, `${field} is not a list.`);
  return Array.from(templates, (template, index) => readTemplate(template, `${field}[${index}]`));
}
