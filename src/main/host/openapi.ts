import { metricsDocument } from '../console/debug/metrics-openapi.ts';
import { consoleDocument } from '../console/openapi.ts';
import { gatewayDocument } from '../gateway/openapi.ts';
import { callbacksDocument } from '../merchant/openapi.ts';
import type { OpenApiDocument } from '../open-api/parts.ts';
import { sandboxDocuments } from '../sandbox/openapi/index.ts';
import { openApiDocument as writerDocument } from '../writer/api/openapi.ts';

type Documents = Readonly<Record<string, OpenApiDocument>>;

let made: { readonly consoleAddress: string | undefined; readonly documents: Documents } | undefined;

/**
 * The OpenAPI documents of every HTTP surface by name, as the console serves them under `/openapi`.
 * @param consoleAddress where the console listens; by default that of the settings
 */
export function openApiDocuments(consoleAddress?: string): Documents {
  if (made === undefined || made.consoleAddress !== consoleAddress)
    made = { consoleAddress, documents: make(consoleAddress) };
  return made.documents;
}

function make(consoleAddress: string | undefined): Documents {
  return {
    console: consoleDocument(consoleAddress),
    gateway: gatewayDocument,
    writer: writerDocument,
    ...Object.fromEntries(Object.entries(sandboxDocuments).map(([name, { document }]) => [name, document])),
    callbacks: callbacksDocument,
    metrics: metricsDocument,
  };
}
