import { type Answer, answer, object, type Part, text } from '../../open-api/parts.ts';
import { apiErrorStatuses } from '../api/api-error.ts';

/** `{"success":false,"error":…}` of the token project, quota and control APIs. */
export const apiErrorSchema: Part = object({
  success: { const: false },
  error: object({ code: { type: 'string', enum: [...Object.keys(apiErrorStatuses), 'fault'] }, message: text }),
});

/** Error responses of these APIs by HTTP status, with their codes. */
export function apiErrorAnswers(schema: Part): Record<string, Answer> {
  const byStatus = Map.groupBy(Object.entries(apiErrorStatuses), ([, status]) => status);
  const inOrder = [...byStatus].sort(([one], [other]) => one - other);
  // the fault http-error responds with any configured status
  const faults = answer('A fault that was turned on.', schema);
  return {
    ...Object.fromEntries(
      inOrder.map(([status, codes]) => [status, answer(codes.map(([code]) => code).join('\n'), schema)]),
    ),
    '4XX': faults,
    '5XX': faults,
  };
}

/** `{"success":true,"data":…}` */
export function success(description: string, data: Part): Answer {
  return answer(description, object({ success: { const: true }, data }));
}
