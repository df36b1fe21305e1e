import { type Answer, type OpenApiDocument, text } from '../../open-api/parts.ts';
import { PROMETHEUS_TYPE } from './metrics.ts';

const plain = (description: string): Answer => ({ description, content: { 'text/plain': { schema: text } } });

/** The address of the figures alone, setting `metricsBind`. */
export const metricsDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Metrics',
    version: '1',
    description: `Figures of every part in the text format of Prometheus (${PROMETHEUS_TYPE}). Nothing else is on this address.`,
  },
  servers: [{ url: 'http://127.0.0.1:9464', description: 'Setting metricsBind; the port is of your choice.' }],
  security: [{ key: [] }],
  components: {
    securitySchemes: {
      key: {
        type: 'http',
        scheme: 'bearer',
        description: 'The setting metricsKey. Without one only this machine is answered.',
      },
    },
  },
  paths: {
    '/metrics': {
      get: {
        summary: 'Every figure as it is now',
        responses: {
          '200': plain('The figures.'),
          '400': plain('The path or the Host is ambiguous.'),
          '401': {
            ...plain('The key is missing or wrong.'),
            headers: { 'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' } } },
          },
          '403': plain('A web page, or another Host, where no key is set.'),
          '404': plain('Another path: only /metrics is here.'),
          '429': plain('Too many wrong keys.'),
          '500': plain('The figures could not be read. The log has the reason.'),
        },
      },
    },
  },
};
