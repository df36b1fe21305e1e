import { type Answer, json, object, type Part, text } from '../../open-api/parts.ts';
import { apiErrorStatuses } from '../api/api-error.ts';

/** `{"success":false,"error":…}` of the token project, quota and control APIs. */
export const apiErrorSchema: Part = object({
  success: { const: false },
  error: object({ code: { type: 'string', enum: [...Object.keys(apiErrorStatuses), 'fault'] }, message: text }),
});

/** The refusals of these APIs, by HTTP status, with their codes. */
export function apiErrorAnswers(schema: Part): Record<string, Answer> {
  const codes = new Map<number, string[]>();
  for (const [code, status] of Object.entries(apiErrorStatuses))
    codes.set(status, [...(codes.get(status) ?? []), code]);
  const inOrder = [...codes].sort(([one], [other]) => one - other);
  const answers = inOrder.map(([status, names]): [string, Answer] => [
    String(status),
    { description: names.join('\n'), content: json(schema) },
  ]);
  // the fault http-error answers with any status that it is told
  const faults: Answer = { description: 'A fault that was turned on.', content: json(schema) };
  return { ...Object.fromEntries(answers), '4XX': faults, '5XX': faults };
}

/** `{"success":true,"data":…}` */
export function success(description: string, data: Part): Answer {
  return { description, content: json(object({ success: { const: true }, data })) };
}
