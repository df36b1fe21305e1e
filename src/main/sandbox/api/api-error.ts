import { type ErrorArguments, type ErrorId, PlanchetError } from '../../../contract/index.ts';

/** Every code the token project, quota and control APIs answer with, and its HTTP status. Listed in docs/sandbox-api.md. */
export const apiErrorStatuses = {
  'invalid-request': 400,
  'api-key-missing': 401,
  'api-key-unknown': 403,
  'api-key-foreign': 403,
  'quota-exceeded': 403,
  'caller-refused': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'output-used': 409,
  'tx-conflict': 409,
  'already-submitted': 409,
  conflict: 409,
  'too-large': 413,
  'content-type-unsupported': 415,
  'protocol-unsupported': 422,
  'sub-type-not-allowed': 422,
  'collection-exists': 409,
  'collection-missing': 422,
  'metadata-invalid': 422,
  'content-type-invalid': 422,
  'base64-invalid': 422,
  'file-empty': 422,
  'public-key-invalid': 422,
  'address-invalid': 422,
  'address-wrong-network': 422,
  'utxo-unusable': 422,
  'funds-insufficient': 422,
  'tx-malformed': 422,
  'tx-different': 422,
  'tx-rejected': 422,
  'too-many-requests': 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ApiErrorCode = keyof typeof apiErrorStatuses;

export type ApiErrorId = Extract<ErrorId, `sandbox-api.${string}`>;

/** A refused request: a stable code for the client, and a text from the error catalogue. */
export class ApiError<Id extends ApiErrorId = ApiErrorId> extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;

  /**
   * @param id entry of the catalogue; its placeholders name the values that are required
   * @param args the values
   */
  constructor(code: ApiErrorCode, id: Id, ...args: ErrorArguments<Id>) {
    super(new PlanchetError(id, ...args).message);
    this.code = code;
  }

  get statusCode(): number {
    return apiErrorStatuses[this.code];
  }

  /** HTTP status at APIs that answer 401 for an unknown key as for a missing one. */
  get minerStatusCode(): number {
    return this.code === 'api-key-unknown' ? apiErrorStatuses['api-key-missing'] : this.statusCode;
  }
}

/** An error with its HTTP status and the text that its API uses. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
