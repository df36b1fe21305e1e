import { metricsDocument } from '../console/debug/metrics-openapi.ts';
import { consoleDocument } from '../console/openapi.ts';
import { gatewayDocument } from '../gateway/openapi.ts';
import { callbacksDocument } from '../merchant/openapi.ts';
import type { OpenApiDocument } from '../open-api/parts.ts';
import { sandboxDocuments } from '../sandbox/openapi/index.ts';
import { openApiDocument as writerDocument } from '../writer/api/openapi.ts';

let made: Readonly<Record<string, OpenApiDocument>> | undefined;

/** The OpenAPI documents of every HTTP surface by name, as the console serves them under `/openapi`. */
export function openApiDocuments(): Readonly<Record<string, OpenApiDocument>> {
  made ??= {
    console: consoleDocument(),
    gateway: gatewayDocument,
    writer: writerDocument,
    ...Object.fromEntries(Object.entries(sandboxDocuments).map(([name, { document }]) => [name, document])),
    callbacks: callbacksDocument,
    metrics: metricsDocument,
  };
  return made;
}
