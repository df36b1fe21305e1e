import type { OpenApiDocument } from '../../open-api/parts.ts';
import { arcDocument } from './arc.ts';
import { controlsDocument } from './controls.ts';
import { mapiDocument } from './mapi.ts';
import { quotaDocument, tokenDocument } from './token.ts';

/** The documents of the sandbox's APIs, each with its base path. */
export const sandboxDocuments: Readonly<Record<string, { readonly base: string; readonly document: OpenApiDocument }>> =
  {
    token: { base: '/token/v1', document: tokenDocument },
    quota: { base: '/console/v1', document: quotaDocument },
    mapi: { base: '/mapi', document: mapiDocument },
    arc: { base: '/arc/v1', document: arcDocument },
    sandbox: { base: '/admin', document: controlsDocument },
  };
